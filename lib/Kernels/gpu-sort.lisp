;; gpu-sort.lisp - nn.argsort on a GPU
;;
;; A number and its place are one integer, u64: the number's bits, changed so that unsigned integers have the order of
;; the numbers, at the upper end, and the place in the lower half. Of numbers of 64 bits there is half: rows are sorted
;; by the lower half, then by the upper one. No order depends on which thread is the first.
;;
;; Rows of up to 2048 elements: a block for each row sorts it in shared memory, by four bits at a time.
;;
;; Long rows: a radix sort by eight bits at a time. Blocks share a row. Each counts the digits of its part, a second
;; kernel sums the counts, and each sorts its part, in tiles in shared memory, and stores each run of equal digits.
;;
;; Few places of long rows: blocks count the first eleven bits of the row's numbers, and the next eight of those that
;; have the K-th one's, then collect the numbers up to it. Of these a block for each row leaves out more, by more bits,
;; if they are many, and puts the others in order.
;;
;; The scratch memory: two buffers of R N, then counts.

(defmacro low-half [tagged] `(arith.andi ~tagged (: 4294967295 i64)))
(defmacro to-i32 [number] `(arith.trunci {:result i32} ~number))
(defmacro digit-of [tagged shift mask] `(arith.andi (to-i32 (arith.shrui ~tagged ~shift)) (: ~mask i32)))
(defmacro half-of [word half] `(arith.andi (arith.shrui ~word ~half) (: 65535 i32)))
(defmacro add-one [counts & at] `(memref.atomic_rmw {:kind "addi"} (: 1 i32) ~counts ~@at))

;; Where shared memory has an element: one place is left out behind every n, so that threads that read neighbours use
;; all banks.
(defmacro spread [place n] `(let [p# ~place] (+ p# (arith.divui p# (: ~n index)))))
(defmacro in-tile [place] `(spread ~place 16))

;; --- Keys -------------------------------------------------------------------

;; The bits of a number as an unsigned integer in the order of the numbers: behind the sign, those of a negative float
;; are its magnitude's. `flip`, -1, makes the order descending.
(defmacro key-bits [T bits number flip]
  (let [I (symbol (str "i" bits))
        least (cond (= bits 8) -128 (= bits 16) -32768 (= bits 32) -2147483648 :else -9223372036854775808)
        most (cond (= bits 8) 127 (= bits 16) 32767 (= bits 32) 2147483647 :else 9223372036854775807)
        order (gensym)
        key (fn [order]
              `(arith.xori (arith.xori ~order (: ~least ~I)) ~(if (= bits 32) flip `(cast ~I ~flip))))]
    (if (= T I)
      (key number)
      `(let [x# ~number
             b# (arith.bitcast {:result ~I} (arith.select (= x# (: 0.0 ~T)) (: 0.0 ~T) x#))
             s# (arith.select (< b# (: 0 ~I)) (- (: ~least ~I) b#) b#)
             ~order (arith.select (arith.cmpf {:predicate "uno"} x# x#) (: ~most ~I) s#)]
         ~(key order)))))

;; The key of an element of x, or the `half` of 64 bits, and its place.
(defmacro tagged [T bits half row place flip]
  (let [key `(key-bits ~T ~bits (memref.load x ~row ~place) ~flip)]
    `(arith.ori (cast i64 ~place)
       ~(cond (< bits 64) `(arith.shli (arith.extui {:result i64} ~key) (: ~(- 64 bits) i64))
              (= half 0) `(arith.shli ~key (: 32 i64))
              :else `(arith.andi ~key (: -4294967296 i64))))))

;; --- Parts of blocks ---------------------------------------------------------

;; The sum of the values of all threads before this one. A collective; `parts` has the sums of warps afterwards.
(defmacro sum-before [value]
  (let [own (gensym) upto (gensym)
        steps (if (target-has? :warp32) (list 1 2 4 8 16) (list 1 2 4 8 16 32))
        scanned (reduce (fn [sum step]
                          (let [s (gensym)]
                            `(let [~s ~sum]
                               (+ ~s (arith.select (>= (lane-id) ~step) (shuffle-up ~s ~step) (: 0 i32))))))
                        own steps)]
    `(let [~own ~value
           ~upto ~scanned]
       (when (= (lane-id) (- (warp-size) 1)) (memref.store ~upto parts (warp-id)))
       (barrier)
       (- (fold [sum# ~upto] [w# 0 (warp-id)] (+ sum# (memref.load parts w#))) ~own))))
(defmacro sum-of-all [threads]
  `(fold [sum# (: 0 i32)] [w# 0 (/ ~threads (warp-size))] (+ sum# (memref.load parts w#))))

;; What the blocks that sort tiles of 8 elements for each thread have in shared memory.
(defmacro with-tile [threads & body]
  `(do
     (def tile (shared i64 [~(+ (* 8 threads) (quotient threads 2))]))
     (def counts (shared i32 [~(+ (* 8 threads) (quotient threads 4))]))
     (def parts (shared i32 [8]))
     ; Places of a thread: of every so many threads-th element and counter, and of 8 that are neighbours.
     (def near (in-tile me))
     (def own (in-tile (* 8 me)))
     (def near-count (spread me 32))
     (def own-count (spread (* 8 me) 32))
     ~@body))

;; Sorts the tile by four bits, and keeps the order of equal ones. Each thread counts the digits of its 8 elements in
;; counters of its own, of 16 bits, two in a word: those of digits from 8 on are upper halves. The sums of all counters
;; before one, and what it was when an element was counted, are where the element goes.
(defmacro sort-tile-by [threads shift]
  (let [each (range 8)
        named (fn [name] (let [names (name-array name 8)] (fn [j] (array-at names j))))
        key (named "key") word (named "word") half (named "half") old (named "old")
        sum (named "sum") next (named "next")
        counter (fn [j] `(+ own-count ~j))]
    `(do
       ~@(map (fn [j] `(memref.store (: 0 i32) counts (+ near-count ~(* j (quotient (* 33 threads) 32))))) each)
       ~@(apply concat
           (map (fn [j]
                  [`(def ~(key j) (memref.load tile (+ own ~j)))
                   `(def digit (digit-of ~(key j) ~shift 15))
                   `(def word (+ (cast i32 me) (* (: ~threads i32) (arith.andi digit (: 7 i32)))))
                   `(def ~(word j) (+ word (arith.shrui word (: 5 i32))))
                   `(def ~(half j) (arith.shli (arith.shrui digit (: 3 i32)) (: 4 i32)))
                   `(def ~(old j) (memref.load counts (cast index ~(word j))))
                   `(memref.store (+ ~(old j) (arith.shli (: 1 i32) ~(half j))) counts (cast index ~(word j)))])
                each))
       (barrier)
       ~@(map (fn [j] `(def ~(sum j) (memref.load counts ~(counter j)))) each)
       (def before (sum-before (+ ~@(map sum each))))
       (def ~(next 0) (+ before (arith.shli (sum-of-all ~threads) (: 16 i32))))
       ~@(map (fn [j] `(def ~(next (+ j 1)) (+ ~(next j) ~(sum j)))) (range 7))
       ~@(map (fn [j] `(memref.store ~(next j) counts ~(counter j))) each)
       (barrier)
       ~@(map (fn [j]
                `(memref.store ~(key j) tile
                   (in-tile (cast index (+ (half-of ~(old j) ~(half j))
                                           (half-of (memref.load counts (cast index ~(word j))) ~(half j)))))))
              each)
       (barrier))))

;; (body) with i and `c`, what is loaded for it, for each i of a range: four loads of a thread are in flight.
(defmacro for-elements [i c from to loaded & body]
  (let [first (gensym)
        names (name-array "element" 4)
        at (fn [j] `(+ ~first ~(* 256 j)))]
    `(for [~first (+ ~from me) ~to 1024]
       ~@(map (fn [j] `(def ~(array-at names j) (let [~i (min ~(at j) (- ~to 1))] ~loaded))) (range 4))
       ~@(map (fn [j] `(when (< ~(at j) ~to) (let [~i ~(at j) ~c ~(array-at names j)] ~@body))) (range 4)))))

(defmacro many-blocks [] (* 8 (multiprocessors)))

;; Blocks of 256 threads that share rows: each has the elements from `begin` to `end` of one.
(defmacro launch-on-rows [name & body]
  `(launch {:name ~name :grid [R blocks] :block [256]}
     (def me (thread-id :x))
     (def row (block-id :x))
     (def begin (* chunk (block-id :y)))
     (def end (min N (+ begin chunk)))
     ~@body))

;; --- Short rows --------------------------------------------------------------

(defmacro sort-in-block [T bits threads]
  (let [size (* 8 threads)
        sort `(for [shift ~(if (< bits 32) (- 64 bits) 32) 64 4]
                (def lowest (cast i64 shift))
                (sort-tile-by ~threads lowest))]
    `(launch {:name ~(symbol (str "sort-" size "-" T)) :grid [R] :block [~threads]}
       (def me (thread-id :x))
       (def row (block-id :x))
       (with-tile ~threads
         (for [p me ~size ~threads]
           (memref.store (if (< p N) (tagged ~T ~bits 0 row p descending) (: -1 i64)) tile (in-tile p)))
         (barrier)
         ~sort
         ~@(if (< bits 64) []
             [`(for [p me ~size ~threads]
                 (def place (cast index (low-half (memref.load tile (in-tile p)))))
                 (when (< place N) (memref.store (tagged ~T ~bits 1 row place descending) tile (in-tile p))))
              `(barrier)
              sort])
         (for [p me K ~threads]
           (memref.store (to-i32 (memref.load tile (in-tile p))) out row p))))))

;; --- Long rows ---------------------------------------------------------------

;; Where the count of a digit by a block is, and its sum.
(defmacro count-at [block digit] `(+ tables (* 256 (+ ~block (* blocks row))) ~digit))
(defmacro total-at [digit] `(+ tables (* 256 (+ (* blocks R) row)) ~digit))

;; Each digit has a counter for each eighth of the threads, as threads of a warp often have the same one.
(defmacro count-digits [name]
  `(launch-on-rows ~name
     (def counts (shared i32 [2048]))
     (for [d me 2048 256] (memref.store (: 0 i32) counts d))
     (barrier)
     (for-elements i c begin end (memref.load scratch (+ from (* N row) i))
       (add-one counts (+ (* 8 (cast index (digit-of c shift 255))) (% me 8))))
     (barrier)
     (def sum (fold [s (: 0 i32)] [j 0 8] (+ s (memref.load counts (+ (* 8 me) j)))))
     (memref.store (cast i64 sum) scratch (count-at (block-id :y) me))))

;; A count becomes the sum of those before it: of 16 digits, each thread adds those of a sixteenth of the blocks.
(defmacro sum-counts [name]
  `(launch {:name ~name :grid [R 16] :block [256]}
     (def me (thread-id :x))
     (def row (block-id :x))
     (def digit (+ (* 16 (block-id :y)) (% me 16)))
     (def part (/ me 16))
     (def span (ceil-div blocks 16))
     (def begin (min blocks (* part span)))
     (def end (min blocks (+ begin span)))
     (def own (fold [s (: 0 i64)] [b begin end] (+ s (memref.load scratch (count-at b digit)))))
     (def sums (shared i64 [256]))
     (memref.store own sums me)
     (barrier)
     (def before (fold [s (: 0 i64)] [q 0 part] (+ s (memref.load sums (+ (* 16 q) (% me 16))))))
     (when (= part 15) (memref.store (+ before own) scratch (total-at digit)))
     (fold [s before] [b begin end]
       (def count (memref.load scratch (count-at b digit)))
       (memref.store s scratch (count-at b digit))
       (+ s count))))

;; Tile by tile: `bases` says where the next element of each digit goes, `starts` where its run is in the sorted tile.
(defmacro store-by-digit [name stored]
  (let [each (range 8)
        named (fn [name] (let [names (name-array name 8)] (fn [j] (array-at names j))))
        p (named "p") near (fn [j] `(+ near ~(* 272 j))) element (named "c") digit (named "d") place (named "place")
        other (fn [j at] `(!= ~(digit j) (digit-of (memref.load tile (in-tile ~at)) shift 255)))]
    `(launch-on-rows ~name
       (with-tile 256
         (def bases (shared i32 [256]))
         (def starts (shared i32 [256]))
         (def before (sum-before (to-i32 (memref.load scratch (total-at me)))))
         (memref.store (+ before (to-i32 (memref.load scratch (count-at (block-id :y) me)))) bases me)
         ~@(map (fn [j] `(def ~(p j) (+ me ~(* 256 j)))) each)
         (for [first begin end 2048]
           (def size (min 2048 (- end first)))
           ~@(map (fn [j] `(def ~(element j)
                             (if (< ~(p j) size)
                                 (memref.load scratch (+ from (* N row) first ~(p j)))
                                 (: -1 i64)))) each)
           ~@(map (fn [j] `(memref.store ~(element j) tile ~(near j))) each)
           (barrier)
           (sort-tile-by 256 shift)
           (sort-tile-by 256 (+ shift (: 4 i64)))
           ~@(apply concat
               (map (fn [j]
                      [`(def ~(element j) (memref.load tile ~(near j)))
                       `(def ~(digit j) (digit-of ~(element j) shift 255))
                       `(when (arith.ori (= ~(p j) 0) ~(other j `(max 0 (- ~(p j) 1))))
                          (memref.store (cast i32 ~(p j)) starts (cast index ~(digit j))))])
                    each))
           (barrier)
           ~@(apply concat
               (map (fn [j]
                      [`(def digit (cast index ~(digit j)))
                       `(def ~(place j) (+ (cast i32 ~(p j)) (- (memref.load bases digit) (memref.load starts digit))))
                       `(when (< ~(p j) size) (let [c ~(element j) place (cast index ~(place j))] ~stored))])
                    each))
           (barrier)
           ~@(map (fn [j]
                    `(when (arith.andi (< ~(p j) size)
                                       (arith.ori (= ~(p j) (- size 1)) ~(other j `(min 2047 (+ ~(p j) 1)))))
                       (memref.store (+ ~(place j) (: 1 i32)) bases (cast index ~(digit j)))))
                  each)
           (barrier))))))

(defmacro sort-by-digit [what stored]
  (let [name (fn [part] (symbol (str "sort-" part what)))]
    `(do
       (count-digits ~(name "count"))
       (sum-counts ~(name "sum"))
       (store-by-digit ~(name "store") ~stored))))

(defmacro sort-long-rows [T bits]
  (let [digits (if (< bits 32) (quotient bits 8) 4)
        all (fn [from count]
              `(for [pass 0 ~count]
                 (def shift (cast i64 (+ (* 8 pass) ~(if (< bits 32) (- 64 bits) 32))))
                 (def from (* buffer (% pass 2)))
                 (def to (- buffer from))
                 (sort-by-digit "" (memref.store c scratch (+ to (* N row) place)))))]
    `(do
       (launch-on-rows ~(symbol (str "sort-keys-" T))
         (for-elements i c begin end (tagged ~T ~bits 0 row i descending)
           (memref.store c scratch (+ (* N row) i))))
       ~@(if (< bits 64) []
           [(all 0 4)
            `(launch-on-rows ~(symbol (str "sort-upper-keys-" T))
               (for-elements i c begin end (memref.load scratch (+ (* N row) i))
                 (def place (cast index (low-half c)))
                 (memref.store (tagged ~T ~bits 1 row place descending) scratch (+ (* N row) i))))])
       ~@(if (> digits 1) [(all 0 (- digits 1))] [])
       (def shift (: 56 i64))
       (def from (* buffer ~(mod (- digits 1) 2)))
       (sort-by-digit "-last" (when (< place K) (memref.store (to-i32 c) out row place))))))

;; --- Few places of long rows ---------------------------------------------------

;; For each row, how many numbers have each first digit of eleven bits, how many of these with the K-th one's have each
;; next digit of eight bits, and how many elements were taken.
(defmacro first-count-at [digit] `(+ tables (* 2048 row) ~digit))
(defmacro next-count-at [digit] `(+ tables (* 2048 R) (* 256 row) ~digit))
(defmacro taken-of [row] `(+ tables (* 2304 R) ~row))
(defmacro first-digit [c] `(digit-of ~c (: 53 i64) 2047))

;; `found` has the digit of the wanted-th element, how many elements have a lower one, and how many have it. Each thread
;; has the counts of some digits.
(defmacro find-digit [wanted each count-at]
  `(do
     (def own (fold [s (: 0 i32)] [d (* ~each me) (+ (* ~each me) ~each)]
                (+ s (to-i32 (memref.load scratch (~count-at d))))))
     (def before (sum-before own))
     (when (arith.andi (< before ~wanted) (<= ~wanted (+ before own)))
       (def [_ last lower here]
         (fold [sum before last (: 0 i32) lower (: 0 i32) here (: 0 i32)] [d (* ~each me) (+ (* ~each me) ~each)]
           (def count (to-i32 (memref.load scratch (~count-at d))))
           (def is-up-to (< sum ~wanted))
           [(+ sum count) (arith.select is-up-to (cast i32 d) last) (arith.select is-up-to sum lower)
            (arith.select is-up-to count here)]))
       (memref.store last found 0)
       (memref.store lower found 1)
       (memref.store here found 2))
     (barrier)))

;; Adds a block's counts, several for each digit, to the row's.
(defmacro add-counts [digits copies count-at]
  `(for [d me ~digits 256]
     (def sum (fold [s (: 0 i32)] [j 0 ~copies] (+ s (memref.load counts (+ (* ~copies d) j)))))
     (when (> sum (: 0 i32))
       (memref.atomic_rmw {:kind "addi"} (cast i64 sum) scratch (~count-at d)))))
(defmacro clear-counts [size]
  `(do
     (for [d me ~size 256] (memref.store (: 0 i32) counts d))
     (barrier)))

(defmacro take-first-places [T bits]
  (let [name (fn [part] (symbol (str "first-" part "-" T)))]
    `(do
       (def wanted (cast i32 K))
       (launch {:name ~(name "begin") :grid [(ceil-div (* R 2305) 256)] :block [256]}
         (def i (+ (* 256 (block-id :x)) (thread-id :x)))
         (when (< i (* R 2305)) (memref.store (: 0 i64) scratch (+ tables i))))
       (launch-on-rows ~(name "count")
         (def counts (shared i32 [8192]))
         (clear-counts 8192)
         (for-elements i c begin end (tagged ~T ~bits 0 row i descending)
           (add-one counts (+ (* 4 (cast index (first-digit c))) (% me 4))))
         (barrier)
         (add-counts 2048 4 first-count-at))
       ; Where that leaves few elements, this kernel has nothing to do.
       (launch-on-rows ~(name "count-next")
         (def counts (shared i32 [2048]))
         (def parts (shared i32 [8]))
         (def found (shared i32 [3]))
         (find-digit wanted 8 first-count-at)
         (def digit (memref.load found 0))
         (when (> (+ (memref.load found 1) (memref.load found 2)) (: 2048 i32))
           (clear-counts 2048)
           (for-elements i c begin end (tagged ~T ~bits 0 row i descending)
             (when (= (first-digit c) digit)
               (add-one counts (+ (* 8 (cast index (digit-of c (: 45 i64) 255))) (% me 8)))))
           (barrier)
           (add-counts 256 8 next-count-at)))
       (launch-on-rows ~(name "collect")
         (def parts (shared i32 [8]))
         (def found (shared i32 [3]))
         (find-digit wanted 8 first-count-at)
         (def digit (memref.load found 0))
         (def sure (memref.load found 1))
         (def taken (+ sure (memref.load found 2)))
         (barrier)
         (when (> taken (: 2048 i32)) (find-digit (- wanted sure) 1 next-count-at))
         (def next (if (> taken (: 2048 i32)) (memref.load found 0) (: 255 i32)))
         (def most (arith.ori (arith.shli digit (: 8 i32)) next))
         (for-elements i c begin end (tagged ~T ~bits 0 row i descending)
           (when (<= (digit-of c (: 45 i64) 524287) most)
             (def place (memref.atomic_rmw {:kind "addi"} (: 1 i64) scratch (taken-of row)))
             (memref.store c scratch (+ (* N row) (cast index place))))))
       (order-taken))))

;; Leaves out more of the elements that were taken, eight bits at a time, until at most 1024 are left: `sure` ones,
;; whose upper bits are less than `prefix`, and `equal` ones. The place of one of these is how many are less.
(defmacro order-taken []
  `(launch {:name first-order :grid [R] :block [256]}
     (def me (thread-id :x))
     (def row (block-id :x))
     (def parts (shared i32 [8]))
     (def counts (shared i32 [256]))
     (def found (shared i32 [3]))
     (def taken (cast index (memref.load scratch (taken-of row))))
     (def [shift prefix sure equal]
       (fold [shift (: 64 i64) prefix (: 0 i64) sure (: 0 i32) equal (cast i32 taken)] [step 0 8]
         (if (> (+ sure equal) (: 1024 i32))
             (do
               (def shift (- shift (: 8 i64)))
               (memref.store (: 0 i32) counts me)
               (barrier)
               (for-elements i c 0 taken (memref.load scratch (+ (* N row) i))
                 (when (= (arith.shrui (arith.shrui c shift) (: 8 i64)) prefix)
                   (add-one counts (cast index (digit-of c shift 255)))))
               (barrier)
               (def own (memref.load counts me))
               (def before (+ sure (sum-before own)))
               (when (arith.andi (< before wanted) (<= wanted (+ before own)))
                 (memref.store (cast i32 me) found 0)
                 (memref.store before found 1)
                 (memref.store own found 2))
               (barrier)
               [shift (arith.ori (arith.shli prefix (: 8 i64)) (arith.extui {:result i64} (memref.load found 0)))
                (memref.load found 1) (memref.load found 2)])
             [shift prefix sure equal])))
     (def left (shared i64 [1024]))
     (def count (shared i32 [1]))
     (when (= me 0) (memref.store (: 0 i32) count 0))
     (barrier)
     (def upper (min shift (: 63 i64)))
     (for-elements i c 0 taken (memref.load scratch (+ (* N row) i))
       (when (arith.ori (= shift (: 64 i64)) (arith.cmpi {:predicate "ule"} (arith.shrui c upper) prefix))
         (memref.store c left (cast index (add-one count 0)))))
     (barrier)
     (def size (cast index (memref.load count 0)))
     (for [j me size 256]
       (def mine (memref.load left j))
       (def place (fold [less (: 0 i32)] [i 0 size]
         (+ less (arith.extui {:result i32} (arith.cmpi {:predicate "ult"} (memref.load left i) mine)))))
       (when (< place wanted) (memref.store (to-i32 mine) out row (cast index place))))))

;; -----------------------------------------------------------------------------

(defmacro gpu-argsort [T bits]
  `(deftemplate nn.argsort {:for [gpu]}
     [(: x ~(str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))
      (: scratch "memref<?xi64, strided<[1], offset: ?>>") (: descending i32)
      (: out "memref<?x?xi32, strided<[?, 1], offset: ?>>")]
     (def R (memref.dim x 0))
     (def N (memref.dim x 1))
     (def K (memref.dim out 1))
     (when (> (* R K) 0)
       (if (<= N 512)
           (do (sort-in-block ~T ~bits 64))
           (if (<= N 2048)
               (do (sort-in-block ~T ~bits 256))
               (do
                 (def tiles (ceil-div N 2048))
                 (def chunk (* 2048 (ceil-div tiles (min tiles (ceil-div (many-blocks) R)))))
                 (def blocks (ceil-div N chunk))
                 (def buffer (* R N))
                 (def tables (* 2 buffer))
                 ~(if (= bits 64)
                      `(sort-long-rows ~T ~bits)
                      `(if (<= K 1024)
                           (do (take-first-places ~T ~bits))
                           (do (sort-long-rows ~T ~bits))))))))))

(gpu-argsort f32 32)
(gpu-argsort bf16 16)
(gpu-argsort f16 16)
(gpu-argsort f64 64)
(gpu-argsort i8 8)
(gpu-argsort i32 32)
(gpu-argsort i64 64)

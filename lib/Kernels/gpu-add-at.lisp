;; gpu-add-at.lisp - nn.add_at, nn.set_at and nn.extreme_at on a GPU
;;
;; nn.add_at: rows with equal indices add up in the order of their numbers, so that sums have the same bits each time,
;; although threads reach them in any order: rows are put in segments, one for each index that occurs, by atomic
;; additions; the numbers in a segment are sorted before its rows are added, by a warp, or, if they are more than its
;; lanes, by a block. Where a segment is does not matter.
;;
;; Its scratch: from 0 on where the segment of each table row ends (at first: begins), from V on how many rows it has,
;; from 2 V on the segments, behind them the table rows that have one, then how many of both lists are in use.
;;
;; nn.set_at: an atomic maximum finds the last row of each index, which alone is stored. nn.extreme_at: an atomic
;; maximum or minimum of each element, where the row's changes the table's.

(require-dialect device)

;; Launches threads 0 .. count-1, `i`, in blocks of 256.
(defmacro for-each-thread [name i count & body]
  `(launch {:name ~name :grid [(ceil-div ~count 256)] :block [256]}
     (def ~i (+ (* 256 (block-id :x)) (thread-id :x)))
     (when (< ~i ~count) ~@body)))

;; Adds to a number of the scratch memory; the value is the old one.
(defmacro add-to-scratch [number at] `(memref.atomic_rmw {:kind "addi"} ~number scratch ~at))

(defmacro check-index [n]
  (if (target-has? :reports-errors)
    `(device.require_index {:axis 0} (cast index (memref.load indices ~n)) V)
    `(do)))
;; As many of 128 threads as run at once.
(defmacro many-blocks [] (* 8 (multiprocessors)))

;; (body) with `row`, the index of row n, if it is inside of the table.
(defmacro with-index [row n & body]
  `(let [~row (cast index (memref.load indices ~n))]
     (when (arith.andi (>= ~row 0) (< ~row V)) ~@body)))

;; The numbers of rows in the segment are at most those that the block's memory holds: each goes to the place that as
;; many smaller ones leave it.
(defmacro sort-segment [begin count]
  `(do
     (for [j (thread-id :x) ~count 128] (memref.store (memref.load scratch (+ ~begin j)) unsorted j))
     (barrier)
     (for [j (thread-id :x) ~count 128]
       (def mine (memref.load unsorted j))
       (def place (fold [smaller (: 0 i32)] [k 0 ~count]
         (+ smaller (arith.extui {:result i32} (< (memref.load unsorted k) mine)))))
       (memref.store mine sorted (cast index place)))
     (barrier)))

;; The j-th row of a segment: of one that the block has sorted; of one whose numbers the lanes of a warp have, each with
;; how many are smaller; and of one alone.
(defmacro sorted-number [j] `(memref.load sorted ~j))
(defmacro number-of-rank [j] `(warp-reduce :add (arith.select (= rank (cast i32 ~j)) number (: 0 i32))))
(defmacro number-alone [j] `alone)

;; Adds the segment's rows, `depth` of them in flight, for some columns of each thread; each sum keeps the order.
(defmacro sums-of [number many columns depth]
  (let [wide (range (count columns))
        sums (name-array "s" (count columns))
        totals (name-array "t" (count columns))
        numbers (name-array "n" depth)
        terms (name-array "r" depth (count columns))
        starts (fn [values] (apply concat (map (fn [k] [(array-at sums k) (values k)]) wide)))
        reads (fn [rows]
                (apply concat
                  (map (fn [j]
                         (cons `(def ~(array-at numbers j) (cast index (~number (+ j ~j))))
                               (map (fn [k]
                                      `(def ~(array-at terms j k)
                                         (cast f32 (memref.load rows ~(array-at numbers j) ~(array-at columns k)))))
                                    wide)))
                       (range rows))))
        added (fn [rows]
                (map (fn [k] `(+ ~(array-at sums k) ~@(map (fn [j] (array-at terms j k)) (range rows)))) wide))]
    `(let [whole (- ~many (% ~many ~depth))]
       (def [~@(map (fn [k] (array-at totals k)) wide)]
         (fold [~@(starts (fn [k] `(cast f32 (memref.load out row ~(array-at columns k)))))] [j 0 whole ~depth]
           ~@(reads depth)
           [~@(added depth)]))
       (fold [~@(starts (fn [k] (array-at totals k)))] [j whole ~many]
         ~@(reads 1)
         [~@(added 1)]))))

;; More rows than the block's memory holds: all indices are read again, in order.
(defmacro sums-of-long [columns]
  (let [wide (range (count columns))
        sums (name-array "s" (count columns))
        first (fn [k] [(array-at sums k) `(cast f32 (memref.load out row ~(array-at columns k)))])]
    `(fold [~@(apply concat (map first wide))] [n 0 N]
       (if (= (cast index (memref.load indices n)) row)
           [~@(map (fn [k] `(+ ~(array-at sums k) (cast f32 (memref.load rows n ~(array-at columns k))))) wide)]
           [~@(map (fn [k] (array-at sums k)) wide)]))))

;; Of rows in segments, each warp adds those of one after the other, some columns of each lane, so that neighbours read
;; neighbours. What it has to know of its segments each lane reads for one of them, all at once. Segments of more rows
;; than a warp has lanes are left to all warps of the block together.
(defmacro add-segments [name O wide depth]
  (let [lanes (if (target-has? :warp32) 32 64)
        warps (quotient 128 lanes)
        all-wide (quotient wide warps)
        ;; Of places behind the end of a row its last element is read, and nothing stored.
        stored (fn [first step many sums]
                 (let [columns (name-array "c" many)
                       totals (name-array "u" many)
                       each (range many)
                       at (fn [k] `(+ ~first ~(* step k)))]
                   `(let [~@(apply concat (map (fn [k] [(array-at columns k) `(min ~(at k) (- C 1))]) each))]
                      (let [[~@(map (fn [k] (array-at totals k)) each)]
                            ~(sums (map (fn [k] (array-at columns k)) each))]
                        ~@(map (fn [k] `(when (< ~(at k) C)
                                          (memref.store (cast ~O ~(array-at totals k)) out row ~(array-at columns k))))
                               each)))))
        by-warp (fn [number many] (stored `column lanes wide (fn [columns] `(sums-of ~number ~many ~columns ~depth))))
        by-block (fn [sums] (stored `(+ part (thread-id :x)) 128 all-wide sums))]
    `(launch {:name ~name :grid [(min (ceil-div N ~warps) (max 1 (/ (many-blocks) (ceil-div C ~(* lanes wide)))))
                                 (ceil-div C ~(* lanes wide))] :block [128]}
       (def unsorted (shared i32 [2048]))
       (def sorted (shared i32 [2048]))
       (def left (shared i32 [128]))
       (def many-left (shared i32 [1]))
       (def lane (cast index (lane-id)))
       (def part (* ~(* lanes wide) (block-id :y)))
       (def column (+ part lane))
       (def all (cast index (memref.load scratch (+ counters 1))))
       (def stride (* ~warps (grid-dim :x)))
       (for [base 0 all (* ~lanes stride)]
         (when (= (thread-id :x) 0) (memref.store (: 0 i32) many-left 0))
         (barrier)
         (def mine (+ base (block-id :x) (* (grid-dim :x) (warp-id))))
         (def place (+ mine (* stride lane)))
         (def my-row (if (< place all) (memref.load scratch (+ (* 2 V) N place)) (: 0 i32)))
         (def my-count (if (< place all) (memref.load scratch (+ V (cast index my-row))) (: 0 i32)))
         (def my-begin (if (< place all) (- (memref.load scratch (cast index my-row)) my-count) (: 0 i32)))
         (def my-number (if (< place all) (memref.load scratch (+ (* 2 V) (cast index my-begin))) (: 0 i32)))
         (for [k 0 (if (< mine all) (min ~lanes (ceil-div (- all mine) stride)) 0)]
           (def row (cast index (shuffle-from my-row k)))
           (def count (cast index (shuffle-from my-count k)))
           (def begin (+ (* 2 V) (cast index (shuffle-from my-begin k))))
           (def alone (shuffle-from my-number k))
           (if (= count 1)
               ~(by-warp `number-alone 1)
               (if (<= count ~lanes)
                   (do
                     (def number (if (< lane count) (memref.load scratch (+ begin lane)) (: 2147483647 i32)))
                     (def rank (fold [smaller (: 0 i32)] [j 0 count]
                       (+ smaller (arith.extui {:result i32} (< (shuffle-from number j) number)))))
                     ~(by-warp `number-of-rank `count))
                   (when (= lane 0)
                     (def at (memref.atomic_rmw {:kind "addi"} (: 1 i32) many-left 0))
                     (memref.store (cast i32 (+ mine (* stride k))) left (cast index at))))))
         (barrier)
         (for [k 0 (cast index (memref.load many-left 0))]
           (def row (cast index (memref.load scratch (+ (* 2 V) N (cast index (memref.load left k))))))
           (def count (cast index (memref.load scratch (+ V row))))
           (def begin (+ (* 2 V) (- (cast index (memref.load scratch row)) count)))
           (if (<= count 2048)
               (do
                 (sort-segment begin count)
                 ~(by-block (fn [columns] `(sums-of sorted-number count ~columns 4)))
                 (barrier)) ; The next segment takes the same memory.
               ~(by-block (fn [columns] `(sums-of-long ~columns)))))
         (barrier)))))

(defmacro gpu-add-at [R O]
  (let [name (fn [what] (symbol (str "add-at-" what "-" R "-" O)))]
    `(deftemplate nn.add_at {:for [gpu]}
       [(: indices "memref<?xi32, strided<[1], offset: ?>>") (: rows ~(rows-of R))
        (: scratch "memref<?xi32, strided<[1], offset: ?>>") (: out ~(rows-of O))]
       (def N (memref.dim rows 0))
       (def C (memref.dim rows 1))
       (def V (memref.dim out 0))
       (def counters (* 2 (+ V N)))
       (when (> (* N C) 0)
         (for-each-thread ~(name "begin") v (+ V 2)
           (memref.store (: 0 i32) scratch (if (< v V) (+ V v) (+ counters (- v V)))))
         (for-each-thread ~(name "count") n N
           (check-index n)
           (with-index row n (add-to-scratch (: 1 i32) (+ V row))))
         ;; Sums of counts, and of table rows that have any, up to each thread: in one number, the latter above bit 32.
         (launch {:name ~(name "place") :grid [(ceil-div V 256)] :block [256]}
           (def me (thread-id :x))
           (def v (+ (* 256 (block-id :x)) me))
           (def count (if (< v V) (memref.load scratch (+ V v)) (: 0 i32)))
           (def here (arith.select (> count (: 0 i32)) (+ (cast i64 count) (: 4294967296 i64)) (: 0 i64)))
           (def sums (shared i64 [256]))
           (def bases (shared i32 [2]))
           (memref.store here sums me)
           (barrier)
           (fold [step 1] [k 0 8]
             (def before (if (>= me step) (memref.load sums (- me step)) (: 0 i64)))
             (barrier)
             (memref.store (+ before (memref.load sums me)) sums me)
             (barrier)
             (* 2 step))
           (when (= me 255)
             (def all (memref.load sums 255))
             (memref.store (add-to-scratch (arith.trunci {:result i32} all) counters) bases 0)
             (memref.store (add-to-scratch (arith.trunci {:result i32} (arith.shrui all (: 32 i64))) (+ counters 1))
                           bases 1))
           (barrier)
           (when (> count (: 0 i32))
             (def before (- (memref.load sums me) here))
             (memref.store (+ (memref.load bases 0) (arith.trunci {:result i32} before)) scratch v)
             (def place (+ (memref.load bases 1) (arith.trunci {:result i32} (arith.shrui before (: 32 i64)))))
             (memref.store (cast i32 v) scratch (+ (* 2 V) N (cast index place)))))
         (for-each-thread ~(name "fill") n N
           (with-index row n
             (memref.store (cast i32 n) scratch (+ (* 2 V) (cast index (add-to-scratch (: 1 i32) row))))))
         ;; Blocks share the table rows that occur.
         (if (<= C 128)
             (do (add-segments ~(name "sum") ~O 4 4))
             (do (add-segments ~(name "sum-wide") ~O 8 2)))))))

(gpu-add-at f32 f32)
(gpu-add-at bf16 f32)
(gpu-add-at f32 bf16)
(gpu-add-at bf16 bf16)

;; The row and the column of element i, the index of the row, if it is inside of the table.
(defmacro for-each-element [name n c row & body]
  `(for-each-thread ~name element# (* N C)
     (def ~n (/ element# C))
     (def ~c (% element# C))
     (when (= ~c 0) (check-index ~n))
     (with-index ~row ~n ~@body)))

(defmacro gpu-set-at [T]
  (let [name (fn [what] (symbol (str "set-at-" what "-" T)))]
    `(deftemplate nn.set_at {:for [gpu]}
       [(: indices "memref<?xi32, strided<[1], offset: ?>>") (: rows ~(rows-of T))
        (: scratch "memref<?xi32, strided<[1], offset: ?>>") (: out ~(rows-of T))]
       (def N (memref.dim rows 0))
       (def C (memref.dim rows 1))
       (def V (memref.dim out 0))
       (when (> (* N C) 0)
         (for-each-thread ~(name "begin") v V (memref.store (: -1 i32) scratch v))
         (for-each-thread ~(name "last") n N
           (check-index n)
           (with-index row n (memref.atomic_rmw {:kind "maxs"} (cast i32 n) scratch row)))
         (for-each-element ~(name "store") n c row
           (when (= (memref.load scratch row) (cast i32 n))
             (memref.store (memref.load rows n c) out row c)))))))

(gpu-set-at f32)
(gpu-set-at f64)
(gpu-set-at f16)
(gpu-set-at bf16)
(gpu-set-at i8)
(gpu-set-at i32)
(gpu-set-at i64)

;; Whether two numbers of one type have the same bits: of 0.0 and -0.0 the greater one is left in any order.
(defmacro same-bits? [T a b]
  (cond (= T (quote f32)) `(= (arith.bitcast {:result i32} ~a) (arith.bitcast {:result i32} ~b))
        (= T (quote f64)) `(= (arith.bitcast {:result i64} ~a) (arith.bitcast {:result i64} ~b))
        :else `(= ~a ~b)))

(defmacro take-extremes [T name extreme kind]
  `(for-each-element ~name n c row
     (def number (memref.load rows n c))
     (def old (memref.load out row c))
     (when (not (same-bits? ~T (~extreme old number) old))
       (memref.atomic_rmw {:kind ~kind} number out row c))))

(defmacro gpu-extreme-at [T greatest least-kind]
  (let [name (fn [what] (symbol (str what "-at-" T)))]
    `(deftemplate nn.extreme_at {:for [gpu] :attrs [least]}
       [(: indices "memref<?xi32, strided<[1], offset: ?>>") (: rows ~(rows-of T)) (: out ~(rows-of T))]
       (def N (memref.dim rows 0))
       (def C (memref.dim rows 1))
       (def V (memref.dim out 0))
       (when (> (* N C) 0)
         (if (> least 0)
             (do (take-extremes ~T ~(name "least") min ~least-kind))
             (do (take-extremes ~T ~(name "greatest") max ~greatest)))))))

(gpu-extreme-at f32 "maximumf" "minimumf")
(gpu-extreme-at f64 "maximumf" "minimumf")
(gpu-extreme-at i32 "maxs" "mins")
(gpu-extreme-at i64 "maxs" "mins")

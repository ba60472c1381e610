;; tiles.lisp - macros for products of 16 x 32 by 32 x 16 numbers: one instruction of AMX, or many of AVX512-BF16
;;
;; Eight registers hold tiles of 16 rows of 64 bytes. One instruction multiplies a
;; tile of 16 x 32 numbers of BF16 by one of 32 x 16 and adds the products to 16 x 16
;; numbers of F32. The right operand is stored as pairs: its row p holds numbers 2p and
;; 2p + 1 of each of the 16 columns. A matrix with rows of 32 numbers is thus converted
;; to a right operand by a transposition of 16 x 16 pairs.
;;
;; An F32 number is split into x = high + low, both BF16, with a relative error of at
;; most 2^-17; sums are F32 in any case. Where high is infinite, low is 0.

(defmacro tile-load [m row column] `(amx.tile_load {:result !amx.tile<16x32xbf16>} ~m ~row ~column))
(defmacro tile-store [tile m row column] `(amx.tile_store ~m ~row ~column ~tile))
(defmacro tile-zero [] `(amx.tile_zero {:result !amx.tile<16x16xf32>}))
(defmacro tile-fma [a b sums] `(amx.tile_mulf {:result !amx.tile<16x16xf32>} ~a ~b ~sums))

;; Number of BF16 tiles that represent one tile of type T.
(defmacro tile-terms [T] (if (= (str T) "f32") 2 1))

;; Sums of products of 32 rows by 16 `columns`, starting at zero and accumulated over a loop in steps of 32, stored in m
;; from `row` on. left, right: macros of [load i term], with which the sums' row or column of tiles i and a term (0:
;; high) give the tile to load, (~@load m row column). types: of the numbers of which the left and the right factor have
;; terms; low times low is omitted. Each step of the loop begins with `body`. unit: "amx", or "dots" for vdpbf16ps.
(defmacro tile-sums [unit columns m row loop types left right & body]
  (let [terms (fn [T] (if (= (str T) "f32") 2 1))
        passes (map (fn [l] [l (range (- (terms (nth types 1)) l))]) (range (terms (nth types 0))))]
    (if (= unit "amx")
      `(tile-sums-by-amx ~columns ~m ~row ~loop ~passes ~left ~right ~@body)
      `(tile-sums-by-dots ~columns ~m ~row ~loop ~passes ~left ~right ~@body))))

;; passes: terms of the left factor, each with the terms of the right one that it is multiplied by.
(defmacro tile-sums-by-amx [columns m row loop passes left right & body]
  (let [each (fn [make] (apply concat (map (fn [i] (map (fn [j] (make i j)) (range columns))) (range 2))))
        sum (fn [i j] (symbol (str "a" i j)))
        sums (apply vector (each sum))
        load (fn [factor i term] `(~@factor [tile-load] ~i ~term))]
    `(do
       (def ~sums
         (fold ~(apply vector (apply concat (map (fn [a] [a `(tile-zero)]) sums))) ~loop
           ~@body
           ~@(apply concat (map (fn [pass]
               (concat [`(def left0 ~(load left 0 (nth pass 0))) `(def left1 ~(load left 1 (nth pass 0)))]
                 (apply concat (map (fn [term]
                   (apply concat (map (fn [j]
                       [`(def other ~(load right j term))
                        `(def ~(sum 0 j) (tile-fma left0 other ~(sum 0 j)))
                        `(def ~(sum 1 j) (tile-fma left1 other ~(sum 1 j)))])
                     (range columns))))
                   (nth pass 1)))))
               passes))
           ~sums))
       ~@(each (fn [i j] `(tile-store ~(sum i j) ~m (+ ~row ~(* 16 i)) (: ~(* 16 j) index)))))))

;; 8 rows at a time: 16 accumulators, pairs of the left factor are broadcast.
(defmacro tile-pair [r m row column]
  `(let [words (vector.bitcast {:result vector<1xf32>}
                 (vector.load {:result vector<2xbf16>} ~m (+ ~row part ~r) (+ ~column (* 2 pair))))]
     (vector.bitcast {:result vector<32xbf16>}
       (vector.broadcast {:result vector<16xf32>} (vector.extract {:static_position "array<i64: 0>"} words)))))
(defmacro tile-row [m row column] `(vector.load {:result vector<32xbf16>} ~m (+ ~row pair) ~column))
(defmacro tile-sums-by-dots [columns m row loop passes left right & body]
  (let [rows (range 8)
        js (range columns)
        sum (fn [r j] (symbol (str "a" r "-" j)))
        other (fn [term j] (symbol (str "right" term "-" j)))
        each (fn [make] (apply concat (map (fn [r] (map (fn [j] (make r j)) js)) rows)))
        sums (apply vector (each sum))
        start (fn [from] (apply vector (apply concat (map (fn [a] [a (from a)]) sums))))
        dot (fn [r j term]
              `(def ~(sum r j) (x86vector.avx512.dot {:result vector<16xf32>} ~(sum r j) left ~(other term j))))
        load (fn [term j] `(def ~(other term j) (~@right [tile-row] ~j ~term)))
        half (fn [i]
          `(for [part 0 16 8]
             (def ~sums
               (fold ~(start (fn [a] `(: 0.0 vector<16xf32>))) ~loop
                 ~@body
                 (def ~sums
                   (fold ~(start (fn [a] a)) [pair 0 16]
                     ~@(apply concat (map (fn [term] (map (fn [j] (load term j)) js)) (nth (first passes) 1)))
                     ~@(apply concat (map (fn [pass]
                         (apply concat (map (fn [r]
                             (concat [`(def left (~@left [tile-pair ~r] ~i ~(nth pass 0)))]
                               (apply concat (map (fn [term] (map (fn [j] (dot r j term)) js)) (nth pass 1)))))
                           rows)))
                         passes))
                     ~sums))
                 ~sums))
             ~@(each (fn [r j] `(vector.store ~(sum r j) ~m (+ ~row part ~(+ r (* 16 i))) (: ~(* 16 j) index))))))]
    `(do ~@(map half (range 2)))))

;; Transposes 16 rows of 16 numbers of 4 bytes at from[row, column] and stores each column by
;; a macro of the column and its index. Interleaves rows, then pairs of rows, within each
;; quarter of a vector, and then permutes the quarters.
(defmacro turn-16 [from row column store]
  (let [name (fn [prefix i] (symbol (str prefix i)))
        in-quarters (fn [four] (i64-array (apply concat (map (fn [q] (map (fn [i] (+ i (* 4 q))) four)) (range 4)))))
        quarters (fn [four] (i64-array (apply concat (map (fn [q] (map (fn [i] (+ i (* 4 q))) (range 4))) four))))
        shuffle (fn [to mask a b] `(def ~to (vector.shuffle {:mask ~mask :result vector<16xf32>} ~a ~b)))
        low-1 (in-quarters [0 16 1 17])
        high-1 (in-quarters [2 18 3 19])
        low-2 (in-quarters [0 1 16 17])
        high-2 (in-quarters [2 3 18 19])
        first-half (quarters [0 1 4 5])
        second-half (quarters [2 3 6 7])
        even (quarters [0 2 4 6])
        odd (quarters [1 3 5 7])
        two (fn [i]
              (let [a (name "row" (* 2 i)) b (name "row" (+ (* 2 i) 1))]
                [(shuffle (name "two" (* 2 i)) low-1 a b) (shuffle (name "two" (+ (* 2 i) 1)) high-1 a b)]))
        four (fn [i]
               (let [two (fn [j] (name "two" (+ j (* 4 i)))) to (fn [j] (name "four" (+ j (* 4 i))))]
                 [(shuffle (to 0) low-2 (two 0) (two 2))
                  (shuffle (to 1) high-2 (two 0) (two 2))
                  (shuffle (to 2) low-2 (two 1) (two 3))
                  (shuffle (to 3) high-2 (two 1) (two 3))]))
        sixteen (fn [j]
                  (let [four (fn [i] (name "four" (+ j (* 4 i)))) to (fn [q] (name "column" (+ j (* 4 q))))]
                    [(shuffle `top-left first-half (four 0) (four 1))
                     (shuffle `top-right second-half (four 0) (four 1))
                     (shuffle `bottom-left first-half (four 2) (four 3))
                     (shuffle `bottom-right second-half (four 2) (four 3))
                     (shuffle (to 0) even `top-left `bottom-left)
                     (shuffle (to 1) odd `top-left `bottom-left)
                     (shuffle (to 2) even `top-right `bottom-right)
                     (shuffle (to 3) odd `top-right `bottom-right)]))]
    `(do ~@(map (fn [i] `(def ~(name "row" i) (load-f32 16 f32 ~from (+ ~row ~i) ~column))) (range 16))
         ~@(apply concat (map two (range 8)))
         ~@(apply concat (map four (range 4)))
         ~@(apply concat (map sixteen (range 4)))
         ~@(map (fn [i] `(~@store ~(name "column" i) ~i)) (range 16)))))

;; Loads the numbers at `at` (indices) of m; zeros from index `most` on.
(defmacro load-some [lanes T m most at]
  (let [type (symbol (str "vector<" lanes "x" T ">"))]
    `(vector.maskedload {:result ~type} ~m ~@at
       (vector.create_mask {:result ~(symbol (str "vector<" lanes "xi1>"))} ~most) (: 0.0 ~type))))

;; Rounds f32 to T and stores the first `most` numbers.
(defmacro store-some [lanes T value m most at]
  `(vector.maskedstore ~m ~@at (vector.create_mask {:result ~(symbol (str "vector<" lanes "xi1>"))} ~most)
     (cast ~(symbol (str "vector<" lanes "x" T ">")) ~value)))

;; The remainder x - high, where high is x rounded to BF16.
(defmacro low-part [x high]
  `(let [low (- ~x (cast vector<16xf32> ~high))]
     (cast vector<16xbf16> (arith.select (= low low) low (: 0.0 vector<16xf32>)))))

(defmacro as-pairs [v] `(vector.bitcast {:result vector<16xf32>} ~v))

;; 16 numbers of BF16 and 16 more, as pairs.
(defmacro join-pairs [a b]
  `(as-pairs (vector.shuffle {:mask ~(i64-array (range 32)) :result vector<32xbf16>} ~a ~b)))

;; Loads 32 numbers at `at` of m as BF16, zeros from index `most` on: defines high, and low
;; for F32, each 16 pairs.
(defmacro load-pairs [T m most at]
  (let [behind (concat (take (- (count at) 1) at) [`(+ ~(nth at (- (count at) 1)) 16)])]
    (if (= (str T) "f32")
      `(do (def left (load-some 16 f32 ~m ~most ~at))
           (def right (load-some 16 f32 ~m (- ~most 16) ~behind))
           (def high-left (cast vector<16xbf16> left))
           (def high-right (cast vector<16xbf16> right))
           (def high (join-pairs high-left high-right))
           (def low (join-pairs (low-part left high-left) (low-part right high-right))))
      `(def high (as-pairs (load-some 32 bf16 ~m ~most ~at))))))

;; Likewise, but pairs of numbers from two rows: 2p and 2p + 1 of each of 16 columns.
(defmacro weave-pairs [T even odd]
  (let [weave (fn [a b] `(as-pairs (vector.interleave ~a ~b)))]
    (if (= (str T) "f32")
      `(do (def high-even (cast vector<16xbf16> ~even))
           (def high-odd (cast vector<16xbf16> ~odd))
           (def high ~(weave `high-even `high-odd))
           (def low ~(weave `(low-part ~even high-even) `(low-part ~odd high-odd))))
      `(def high ~(weave even odd)))))

;; Stores high at m[row, column], and low `apart` rows further.
(defmacro store-pairs [T m row column apart]
  (let [put (fn [pairs row] `(vector.store (vector.bitcast {:result vector<32xbf16>} ~pairs) ~m ~row ~column))]
    `(do ~(put `high row) ~@(if (= (str T) "f32") [(put `low `(+ ~row ~apart))] []))))

;; Stores the tile whose columns are 16 rows of pairs at row `at` of m, and the tile of low
;; terms `apart` rows further. The body, given r, defines high and low of row r. `lines` is
;; a scratch buffer of 32 rows.
(defmacro put-column [m at line i] `(vector.store (vector.bitcast {:result vector<32xbf16>} ~line) ~m (+ ~at ~i) 0))
(defmacro store-turned [T m at apart & body]
  `(do
     (for [r 0 16]
       ~@body
       (vector.store high lines r 0)
       ~@(if (= (str T) "f32") [`(vector.store low lines (+ r 16) 0)] []))
     (for [term 0 (tile-terms ~T)]
       (def first-row (+ ~at (* ~apart term)))
       (turn-16 lines (* 16 term) 0 (put-column ~m first-row)))))

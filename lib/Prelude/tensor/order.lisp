; The elements of a tensor in another order: along :axis n, which a tensor of one dimension needs not.

(defn flip "The elements along an axis in reverse." [x & {:axis _}] (slice x :axis axis :step -1))

(defn roll "Each element at the place shift after its own along an axis, from the end to the start again."
  [x (: shift index) & {:axis -1}]
  (let [n (dim x axis)
        first (- n (% (+ (% shift n) n) n))]
    (concat (slice x :axis axis :from first) (slice x :axis axis :to first) :axis axis)))

(defn repeat "Each element along an axis k times, one after the other." [x (: k index) & {:axis -1}]
  (gather x (/ (iota index [(* k (dim x axis))]) k) :axis axis))

(defn scan
  "f(... f(f(init, x[0]), x[1]) ..., x[i]) along an axis, for each i: f is a function of tensors, such as +, that takes
  what is combined so far, and the next elements. :reverse begins with the last element, :exclusive leaves x[i] out."
  [f x & {:init 0 :axis -1 :reverse false :exclusive false}]
  (let [n (dim x axis)
        start (full-like (max x :axis axis :keep true) init)]
    (def [y _]
      (fold [y x sofar start] [i 0 n]
        (def place (if reverse (- (- n 1) i) i))
        (def next (f sofar (slice y :axis axis :from place :size 1)))
        [(update y (if exclusive sofar next) :axis axis :from place) next]))
    y))

;; Integers, i64, in the order of the numbers x: a NaN is greatest, -0.0 is 0.0.
(defn ordered-bits [x]
  (let [least (- (shift-left (: 1 i64) (cast i64 (- (bit-width x) 1))))
        b (cast i64 (bits (where (= x 0) 0 x)))
        is-float (!= (bits (full-like x 1)) 1)]
    ; Behind the sign, the bits of a negative float are its magnitude's.
    (where (!= x x) (- -1 least) (where (and is-float (< b 0)) (- least b) b))))

;; How often a row is halved until one element is left.
(defn sorting-steps [row]
  (cast index (round (/ (log (cast f64 (cast i64 (next-power-of-2 (dim row -1))))) (log (: 2.0 f64))))))

;; The row, and behind it the greatest integers up to a power of two.
(defn fill-row [row]
  (let [here (iota i64 [(next-power-of-2 (dim row -1))])]
    (update (where (>= here 0) 9223372036854775807 (max row :axis -1 :keep true)) row :axis -1 :from 0)))

;; Whether place p of a row has the less of two elements in step j of pass k, in which blocks of 2^k places are
;; sorted upwards and downwards in turns.
(defn takes-less [(: p (tensor n i32)) (: apart i32) (: k index)]
  (= (= 0 (bit-and p (shift-left (: 1 i32) (cast i32 k)))) (= 0 (bit-and p apart))))

;; Rows of i64 in ascending order. Batcher 1968.
(defn sort-rows [rows]
  (let [filled (fill-row rows)
        here (iota i32 [(dim filled -1)])
        sorted (fold [rows filled] [k 1 (+ (sorting-steps rows) 1)]
                 (fold [a rows] [j 0 k]
                   (def apart (shift-left (: 1 i32) (cast i32 (- (- k 1) j))))
                   (def b (gather a (bit-xor here apart) :axis -1))
                   (where (takes-less here apart k) (min a b) (max a b))))]
    (slice sorted :axis -1 :size (dim rows -1))))

;; The places, i32, of the elements of rows of i64 in ascending order; equal ones keep theirs.
(defn argsort-rows [rows]
  (let [filled (fill-row rows)
        here (iota i32 [(dim filled -1)])]
    (def [_ order]
      (fold [rows filled places (cast i32 (+ (* 0 filled) (cast i64 here)))] [k 1 (+ (sorting-steps rows) 1)]
        (fold [a rows p places] [j 0 k]
          (def apart (shift-left (: 1 i32) (cast i32 (- (- k 1) j))))
          (def other (bit-xor here apart))
          (def b (gather a other :axis -1))
          (def q (gather p other :axis -1))
          (def exchange (= (takes-less here apart k) (or (> a b) (and (= a b) (> p q)))))
          [(where exchange b a) (where exchange q p)])))
    (slice order :axis -1 :size (dim rows -1))))

(defn argsort
  "The places, i32, of the elements along an axis from the least to the greatest, or with :descending from the greatest;
  equal ones keep their order, and a NaN is greatest."
  [x & {:axis -1 :descending false}]
  (let [row (transpose (stop-gradient x) :exchange [axis -1])
        keys (if descending (bit-xor (ordered-bits row) -1) (ordered-bits row))
        order (if (= (bit-width x) 64)
                  (argsort-rows keys)
                  ; A number and its place are one integer.
                  (cast i32 (bit-and (sort-rows (+ (shift-left keys 32) (iota i64 [(dim row -1)]))) 4294967295)))]
    (transpose order :exchange [axis -1])))

(defn sort
  "The elements along an axis from the least to the greatest, or with :descending from the greatest; a NaN is greatest."
  [x & {:axis -1 :descending false}]
  (let [row (transpose x :exchange [axis -1])]
    (transpose (gather row (argsort row :descending descending) :axis -1 :batch -1) :exchange [axis -1])))

(defn bincount
  "[n] i64: how often each of the integers 0 to n - 1 is among the indices; others are errors."
  [indices (: n index)]
  (cast i64 (add-at (zeros f64 [n]) indices (cast f64 (= indices indices)))))

(defn segment-sum
  "Row i of the result is the sum of the rows whose segment is i. rows: [m ...] of floats, segments: integers [m]; the
  result is [n ...]."
  [rows segments (: n index)]
  (let [zeros-of-row (full-like (max rows :axis 0 :keep true) 0)]
    (add-at (gather zeros-of-row (zeros i32 [n])) segments rows)))

;; [n ...]: the greatest, or the least, of no rows like these.
(defn no-row [row (: n index)] (gather row (zeros i32 [n])))

(defn segment-max
  "Row i of the result has the greatest elements of the rows whose segment is i: of no rows -inf, or the least integer.
  rows: [m ...], segments: integers [m]; the result is [n ...]."
  [rows segments (: n index)]
  (add-at (no-row (max (slice rows :axis 0 :from 0 :size 0) :axis 0 :keep true) n) segments rows :with max))

(defn segment-min
  "Row i of the result has the least elements of the rows whose segment is i: of no rows inf, or the greatest integer."
  [rows segments (: n index)]
  (add-at (no-row (min (slice rows :axis 0 :from 0 :size 0) :axis 0 :keep true) n) segments rows :with min))

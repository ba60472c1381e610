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

(defn argsort
  "The places, i32, of the elements along an axis from the least to the greatest, or with :descending from the greatest;
  equal ones keep their order, and a NaN is greatest."
  [x & {:axis -1 :descending false}]
  (let [row (transpose x :exchange [axis -1])]
    (transpose (first-places row (dim row -1) :descending descending) :exchange [axis -1])))

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

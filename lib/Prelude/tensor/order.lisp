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
  equal ones keep their order, and a NaN is greatest. Batcher 1968."
  [x & {:axis -1 :descending false}]
  (let [row (transpose (stop-gradient x) :exchange [axis -1])
        n (cast i32 (dim row -1))
        m (next-power-of-2 (dim row -1))
        here (iota i32 [m])
        keys (gather row (min here (- n 1)) :axis -1)
        steps (cast index (round (/ (log (cast f64 (cast i64 m))) (log (: 2.0 f64)))))]
    ; Whether a, at place p of the row, comes after b at q: what is behind the row comes last.
    (def [_ order]
      (fold [keys keys places (+ here (cast i32 (< keys keys)))] [k 1 (+ steps 1)]
        (fold [a keys p places] [j 0 k]
          (def apart (shift-left (: 1 i32) (cast i32 (- (- k 1) j))))
          (def other (bit-xor here apart))
          (def b (gather a other :axis -1))
          (def q (gather p other :axis -1))
          (def kind (where (>= p n) 2 (where (!= a a) (if descending -1 1) 0)))
          (def kind-b (where (>= q n) 2 (where (!= b b) (if descending -1 1) 0)))
          (def above (if descending (< a b) (> a b)))
          (def below (if descending (> a b) (< a b)))
          (def after (or (> kind kind-b) (and (= kind kind-b) (or above (and (not below) (> p q))))))
          ; Blocks of 2^k places are sorted upwards and downwards in turns.
          (def upwards (= 0 (bit-and here (shift-left (: 1 i32) (cast i32 k)))))
          (def takes-less (= upwards (= 0 (bit-and here apart))))
          (def exchange (= takes-less after))
          [(where exchange b a) (where exchange q p)])))
    (transpose (slice order :axis -1 :size (dim row -1)) :exchange [axis -1])))

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

;;; operands.lisp - the numbers that the formulas of level1.lisp are computed for, and what is printed of their results.
(require-dialect memref)

;; --- operands; numbers.py makes the same ones -----------------------------------------------------------------------

;; 32 bits for a place, i64.
(defn bits [place & {:seed 1}]
  (def a (bit-and (* (+ place (* seed 1000003)) 2654435769) 4294967295))
  (def b (bit-and (* (bit-xor a (shift-right a 15)) 739982445) 4294967295))
  (bit-xor b (shift-right b 13)))

;; Each kind of operand: its numbers from places, and its last size. Of [0, 1) there are multiples of 2^-24.
(defn uniform [place & {:seed 1 :last 1}] (* (cast f32 (shift-right (bits place :seed seed) 8)) 5.9604644775390625e-8))
(defn centered [place & {:seed 1 :last 1}] (- (* 4.0 (uniform place :seed seed)) 2.0))
(defn weights [place & {:seed 1 :last 1}] (* 0.25 (- (uniform place :seed seed) 0.5)))
(defn coins [place & {:seed 1 :last 1}] (< (uniform place :seed seed) 0.5))
(defn signs [place & {:seed 1 :last 1}] (where (coins place :seed seed) (: -1.0 f32) (: 1.0 f32)))
(defn shares [place & {:seed 1 :last 1}] (/ (+ 0.5 (uniform place :seed seed)) (cast f32 (: last i64))))
(defn classes [place & {:seed 1 :last 1}] (% (bits place :seed seed) last))
(defn symmetric [place & {:seed 1 :last 1}]
  (uniform (+ (* last (min (/ place last) (% place last))) (max (/ place last) (% place last))) :seed seed))
(defn upper [place & {:seed 1 :last 1}] (where (<= (/ place last) (% place last)) (uniform place :seed seed) 0.0))
(defn lower [place & {:seed 1 :last 1}] (where (>= (/ place last) (% place last)) (uniform place :seed seed) 0.0))

;; --- results --------------------------------------------------------------------------------------------------------

;; The sum of y's elements with numbers in [-1/2, 1/2) as weights, which are in memory first: sums of what is read are
;; made by many blocks of a GPU.
(defn weighted-sum [y & {:seed 101}]
  (def flat (reshape (load y) [_]))
  (def weights (to-memref (- (uniform (iota i64 [(dim flat 0)]) :seed seed) 0.5)))
  (def total (host (sum (* (cast f64 flat) (cast f64 (load weights))))))
  (device-free! weights)
  total)

;; Prints the number of elements, the root of the sum of their squares, two weighted sums, which every wrong element
;; changes, and some elements: the first and the last ones, and others between.
(defn report [y & {:number 1 :samples 8}]
  (def flat (reshape (load y) [_]))
  (def n (cast i64 (dim flat 0)))
  (println "%d size %ld norm %.12g sums %.12g %.12g" (: number i32) n
           (sqrt (sum (* (cast f64 flat) (cast f64 flat)))) (weighted-sum y :seed 101) (weighted-sum y :seed 102))
  (def k (iota i64 [samples]))
  (def other (% (bits k :seed 103) n))
  (def here (where (= (% k 4) 0) (% (/ k 4) n) (where (= (% k 4) 1) (- (- n 1) (% (/ k 4) n)) other)))
  (def shown (host (cast f64 (gather flat here))))
  (for [i 0 samples] (println "%d element %.12g" (: number i32) (at shown i))))

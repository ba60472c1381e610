; 15. Gradients.                       RUN: lispier run %s | FileCheck %s
;
; A network of two layers learns which of two moons a point lies on. The program has the forward formulas;
; value-and-grad gives the loss and its gradient, a record like the weights.

(require-dialect memref)

(defrecord Mlp [w1 (tensor h 2 f32)] [b1 (tensor h f32)] [w2 (tensor 2 h f32)] [b2 (tensor 2 f32)])

(defn classes [(: m Mlp) (: points (tensor n 2 f32))]
  (linear (tanh (linear points (:w1 m) (:b1 m))) (:w2 m) (:b2 m)))

; The first result, a number, is what is differentiated; the others come along.
(defn loss-of [(: m Mlp) (: points (tensor n 2 f32)) (: labels (tensor n i32))]
  (def scores (classes m points))
  [(cross-entropy scores labels) (mean (cast f32 (= (argmax scores :axis 1) labels)))])

; Steps of gradient descent. A loop carries tensors, the fields of the record.
(defn moved [w dw] (- w (* 0.5 dw)))
(defn trained [(: m Mlp) (: points (tensor n 2 f32)) (: labels (tensor n i32)) (: steps index)] -> Mlp
  (def [w1 b1 w2 b2] (fold [w1 (:w1 m) b1 (:b1 m) w2 (:w2 m) b2 (:b2 m)] [i 0 steps]
    (def [loss share d] (value-and-grad loss-of (Mlp w1 b1 w2 b2) points labels))
    [(moved w1 (:w1 d)) (moved b1 (:b1 d)) (moved w2 (:w2 d)) (moved b2 (:b2 d))]))
  (Mlp w1 b1 w2 b2))

; Points on two arcs, and numbers between -1 and 1 as the first weights.
(defn moons [(: n index)]
  (def label (% (iota i32 [n]) 2))
  (def angle (/ (* 3.14159 (iota f32 [n])) (cast f32 n)))
  (def turned (cast f32 (- 1 (* 2 label))))
  (def x (stack (+ (* turned (cos angle)) (* 0.5 (cast f32 label))) (- (* turned (sin angle)) (* 0.25 turned)) :axis 1))
  [x label])
(defn weights [shape] (sin (* 7.0 (+ 1.0 shape))))

; What a kernel of the program's own computes has no formula: a rule gives its function a gradient, made of the
; arguments and of dy, that of the result.
(defkernel cube-each [(: x (tensor n f32)) (: y memref<?xf32>)]
  (def i (thread-id :x))
  (when (< i n) (memref.store (* (at x i) (at x i) (at x i)) y i)))
(defn cube [(: x (tensor n f32))] -> (tensor n f32)
  (def y (device-alloc memref<?xf32> [n]))
  (launch cube-each {:grid [(/ (+ n 63) 64)] :block [64]} x y)
  (load y))
(defgrad cube [(: x (tensor n f32))] :grad [dy] [(* 3.0 x x dy)])
(defn total [(: x (tensor n f32))] (sum (cube x)))

(defn main []
  ; CHECK: f32 [] 36
  ; CHECK: [0 3 12 27]
  (def [cubes slopes] (value-and-grad total (iota f32 [4])))
  (println cubes)
  (println slopes)
  (def [points labels] (moons 64))
  (def first (Mlp (weights (reshape (iota f32 [32]) [16 2])) (zeros f32 [16])
                  (weights (reshape (iota f32 [32]) [2 16])) (zeros f32 [2])))
  (def [loss share] (loss-of first points labels))
  (println "loss %.2f, %.0f%% right" (at loss) (* 100.0 (at share)))
  (def [loss share] (loss-of (trained first points labels 1000) points labels))
  ; CHECK: after 1000 steps: loss 0.0{{.*}}, 100% right
  (println "after 1000 steps: loss %.2f, %.0f%% right" (at loss) (* 100.0 (at share))))

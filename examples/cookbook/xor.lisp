; A network of two layers learns XOR: forward pass, gradients by the chain rule, and 2,000 steps of descent in a fold.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check] ["./random.lisp" :as random])

(defn hidden [x w b] (tanh (+ (matmul x w) b)))
(defn output [h w b] (sigmoid (+ (matmul h w) b)))

(defn main []
  (def x (: [[0.0 0.0] [0.0 1.0] [1.0 0.0] [1.0 1.0]] tensor<4x2xf32>))
  (def goal (: [[0.0] [1.0] [1.0] [0.0]] tensor<4x1xf32>))
  (def rate 0.5)
  (def [w1 b1 w2 b2]
    (fold [w1 (- (* 2.0 (reshape (random/uniform 16 1) [2 8])) 1.0) b1 (zeros f32 [8])
           w2 (- (* 2.0 (reshape (random/uniform 8 2) [8 1])) 1.0) b2 (zeros f32 [1])]
          [step 0 2000]
      (def h (hidden x w1 b1))
      ; Of the mean cross-entropy with a sigmoid, the gradient before the sigmoid is what it is off by.
      (def dy (/ (- (output h w2 b2) goal) 4.0))
      (def dh (* (matmul dy (transpose w2)) (- 1.0 (* h h))))
      [(- w1 (* rate (matmul (transpose x) dh))) (- b1 (* rate (sum dh :axis 0)))
       (- w2 (* rate (matmul (transpose h) dy))) (- b2 (* rate (sum dy :axis 0)))]))
  (def y (output (hidden x w1 b1) w2 b2))
  (println (cast i32 (> (reshape y [4]) 0.5)))       ; CHECK: i32 [4]
                                                     ; CHECK-NEXT: [0 1 1 0]
  (check/report (cstring "loss") (check/difference y goal) 0.1))   ; CHECK: loss: ok

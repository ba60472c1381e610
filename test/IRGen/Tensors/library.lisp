; The library of tensors, and functions of the program that have the names of one of its functions, and of forms that it
; uses.
; RUN: lispier run %s | FileCheck %s
(defn relu [x] (+ x 100.0))
(defn sum [x] (* 2.0 x))
(defn mean [x y] (+ x y))
(defn main []
  (def x (- (iota f32 [3]) 1.0))
  (println (relu x))                             ; CHECK: [99 100 101]
  (println (mean x (sum x)))                     ; CHECK: [-3 0 3]
  (println (silu x))                             ; CHECK: [-0.268941 0 0.731059]
  (println (gelu x))                             ; CHECK: [-0.158808 0 0.841192]
  (println (gelu-erf x))                         ; CHECK: [-0.158655 0 0.841345]
  (println (softmax x))                          ; CHECK: [0.0900306 0.244728 0.665241]
  (println (log-softmax x))                      ; CHECK: [-2.40761 -1.40761 -0.407606]
  (println (layer-norm x (full f32 [3] 2.0) (iota f32 [3]))) ; CHECK: [-2.44947 1 4.44947]
  (println (rms-norm (cast bf16 x) (full f32 [3] 2.0) :eps 0.0)) ; CHECK: [-2.44949 0 2.44949]
  (def w (reshape (iota f32 [6]) [2 3]))
  (println (linear x w (full f32 [2] 0.5)))      ; CHECK: [2.5 2.5]
  (println (linear (stack x x) w (full f32 [2] 0.5))) ; CHECK: f32 [2 2]
  ; Of equal numbers the first; a NaN is greatest; -inf is a number.
  (def row (concat (iota f32 [3]) (full f32 [1] nan) (full f32 [1] -inf) (iota f32 [3]) :axis 0))
  (def [values places] (topk row 8))
  (println (slice values [0] [4]))               ; CHECK: [nan 2 2 1]
  (println (slice places [0] [4]))               ; CHECK: [3 2 7 1]
  (println (slice values [5] [3]))               ; CHECK: [0 0 -inf]
  (println (slice places [5] [3]))               ; CHECK: [0 5 4]
  (def [most where-most] (topk (cast bf16 w) 2))
  (println most)                                 ; CHECK: bf16 [2 2]
  ; CHECK-NEXT: [2 1]
  ; CHECK-NEXT: [5 4]
  (println where-most)                           ; CHECK: [2 1]
  (println (one-hot (: [2 0] tensor<2xi32>) 3))  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0 0 1]
  ; CHECK-NEXT: [1 0 0]
  (println (embedding w (: [1 0] tensor<2xi64>))) ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [3 4 5]
  (println (cross-entropy w (: [2 1] tensor<2xi32>))) ; CHECK: f32 [] 0.907606
  (println (rope (full f32 [1 2 4] 1.0) 1))      ; CHECK: f32 [1 2 4]
  ; CHECK-NEXT: [-0.301169 0.98995 1.38177 1.00995]
  (def q (* 0.1 (reshape (iota f32 [12]) [2 3 2])))
  (println (attention q q q))                    ; CHECK: f32 [2 3 2]
  ; CHECK-NEXT: [0 0.1]
  (println (attention (slice q [0 2 0]) q q))    ; CHECK: f32 [2 1 2]
  (println (attention q q q :causal false :scale 1.0))) ; CHECK: f32 [2 3 2]

; Tensors without elements: slices of size 0, known or not, and what is computed of them.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier build --target=cuda %s -o %t

(defn sums [(: x (tensor t c f32)) (: n index)] -> (tensor _ f32) (sum (slice x [0 0] [n (dim x 1)]) :axis 0))
(defn rows [(: x (tensor t c f32)) (: n index)] -> (tensor _ f32) (sum (* 2.0 (slice x [0 0] [(dim x 0) n])) :axis 1))
(defn soft [(: x (tensor t c f32)) (: n index)] -> (tensor _ _ f32) (softmax (slice x [0 0] [n (dim x 1)])))
(defn soft0 [(: x (tensor t c f32)) (: n index)] -> (tensor _ _ f32) (softmax (slice x [0 0] [(dim x 0) n])))
(defn mm [(: x (tensor t c f32)) (: n index)] -> (tensor _ _ f32) (matmul (slice x [0 0] [(dim x 0) n])
  (slice x [0 0] [n (dim x 1)])))
(defn big [(: x (tensor t c f32))] -> (tensor c f32) (max (slice x [1 0] [0 4]) :axis 0))

; One of the parts has a size that only the run knows.
(defn stacked [(: y (tensor _ _ f32))] (stack (reshape y [3 0]) y))

; Rows of a table that have no elements.
(defn gathered [(: table (tensor _ 0 f32)) (: rows (tensor n i32))] (* 2.0 (gather table rows)))

; The number of rows that are sorted is a product with 0 that only the run computes.
(defn sorted [(: y (tensor 0 _ 0 1 f32))] (argsort y :axis 3))

(defn main []
  (def x (reshape (iota f32 [12]) [3 4]))
  ; CHECK: f32 [4]
  ; CHECK-NEXT: [0 0 0 0]
  (println (sums x 0))
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [0 0 0]
  (println (rows x 0))
  ; CHECK: f32 [0 4]
  (println (soft x 0))
  ; CHECK: f32 [3 0]
  (println (soft0 x 0))
  ; CHECK: f32 [3 4]
  ; CHECK-NEXT: [0 0 0 0]
  ; CHECK-NEXT: [0 0 0 0]
  ; CHECK-NEXT: [0 0 0 0]
  (println (mm x 0))
  ; CHECK: f32 [4]
  ; CHECK-NEXT: [-inf -inf -inf -inf]
  (println (big x))
  ; CHECK: i32 [0]
  (println (argmax (slice x [0 0] [0 4]) :axis 1))
  ; CHECK: f32 [3 0]
  (println (cumsum (slice x [0 0] [3 0]) :axis 1))
  ; CHECK: f32 [3 4]
  ; CHECK-NEXT: [0 1 2 3]
  ; CHECK-NEXT: [4 5 6 7]
  ; CHECK-NEXT: [8 9 10 11]
  (println (concat (slice x [0 0] [0 4]) x :axis 0))
  ; CHECK: i1 [] false
  (println (any (< (slice x [0 0] [0 4]) 1.0)))
  ; CHECK: f32 [4]
  ; CHECK-NEXT: [nan nan nan nan]
  (println (mean (slice x [0 0] [0 4]) :axis 0))
  ; CHECK: f32 [0 4]
  (println (layer-norm (slice x [0 0] [0 4]) (zeros f32 [4]) (zeros f32 [4])))
  ; CHECK: f32 [2 4]
  ; CHECK-NEXT: [5 5 5 5]
  ; CHECK-NEXT: [5 5 5 5]
  (println (pad (slice x [0 0] [0 4]) [[1 1] [0 0]] 5.0))
  ; CHECK: f32 [3 2]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [0 0]
  (println (einsum "ab,cb->ac" (slice x [0 0] [3 0]) (slice x [0 0] [2 0])))
  ; CHECK: f32 [0 4]
  (println (gather x (slice (: [1 2] tensor<2xi32>) [0] [0])))
  ; CHECK: f32 [3 4]
  ; CHECK-NEXT: [0 1 2 3]
  ; CHECK-NEXT: [4 5 6 7]
  ; CHECK-NEXT: [8 9 10 11]
  (println (update x (slice x [0 0] [0 4]) [0 0]))
  ; CHECK: f32 [4 0]
  (println (transpose (slice x [0 0] [0 4])))
  ; CHECK: f32 [4 0]
  (println (reshape (slice x [0 0] [0 4]) [4 0]))
  ; A part of size 0 may begin at the end, and be of a dimension that is empty itself.
  ; CHECK: f32 [0 4]
  (println (slice x [3 0] [0 4]))
  ; CHECK: f32 [2 3 0]
  (println (stack (zeros f32 [3 0]) (zeros f32 [3 0])))
  ; CHECK: f32 [2 3 0]
  (println (stacked (zeros f32 [3 0])))
  ; CHECK: f32 [3 0]
  (println (gathered (* -0.5 (cast f32 (reshape (iota i32 [0]) [2 0]))) (: [1 0 1] tensor<3xi32>)))
  ; CHECK: f32 [4 0]
  (println (pad (zeros f32 [3 0]) [[1 0] [0 0]] 5.0))
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [5 5 5]
  (println (pad (zeros f32 [0]) [[1 2]] 5.0))
  ; CHECK: f32 [0 2]
  (println (cumsum (zeros f32 [0 2]) :axis 1))
  ; The sizes beside the 0 are others than before.
  ; CHECK: f32 [2 0]
  (println (reshape (zeros f32 [7 5 0 7]) [2 0]))
  ; CHECK: f32 [0 1]
  (println (reshape (zeros f32 [0 1 3 5]) [0 1]))
  ; CHECK: f32 [0 8]
  (println (reshape (zeros f32 [0 0 8]) [0 8]))
  ; CHECK: i32 [0 3 0 1]
  (println (sorted (zeros f32 [0 3 0 1]))))

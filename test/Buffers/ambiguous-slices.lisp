; Parts that lack one of several dimensions of size 1: upstream's memref.subview took another one than was meant.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; CHECK: f64 [1 2 2 3]
; CHECK-NEXT: {{\[\[\[\[}}1 1.5 2]
; CHECK-NEXT: [1 1.5 2]]
; CHECK-NEXT: {{\[\[}}3.5 4.5 5.5]
; CHECK-NEXT: [2.5 3 3.5]]]]
(defn doubled [(: x (tensor _ f64))]
  (def rows (reshape x [1 2 _]))
  (stack (cumsum rows :axis 1) rows :axis 2))
(defn main []
  (println (doubled (+ 1.0 (* 0.5 (iota f64 [6])))))
  (println (reshape (grad sums (zeros f32 [2 3 2 1])) [12])))

; A part that lacks the last dimension, when the size of its first one becomes known to be 1, too: upstream took the sizes
; 3, 3, 1, 1 of it, and added them beside the tensor. A gradient of this kind was found by comparing random programs with
; PyTorch.
; CHECK: f32 [12]
; CHECK-NEXT: [1 1 1 ... 2 2 2]
(defn sums [(: x (tensor _ 3 _ 1 f32))]
  (def v (exp x))
  (+ (sum (/ (+ v 1.0) (+ v 1.0))) (sum v) (sum (slice v :axis 0 :from 1))))

; A transposed convolution with the stride of its weights' sizes makes a block of each element.
; RUN: lispier run %s | FileCheck %s
; CHECK: f32 [1 1 4 4 4]
; CHECK: f32 [] 224
; CHECK: f32 [4]
; CHECK-NEXT: [4 4 5 5]
; CHECK: f32 [2]
; CHECK-NEXT: [0 0]
(defn main []
  (def x (reshape (iota f32 [8]) [1 1 2 2 2]))
  (def y (conv-transpose3d x (full f32 [1 1 2 2 2] 1.0) :stride 2))
  (println y)
  (println (sum y))
  (println (at y 0 0 3 0))
  (println (zeros-like (iota f32 [2]))))

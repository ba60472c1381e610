; What a gradient keeps of the forward pass: of a loop stacks of what it carries and of products, in straight code what is
; read behind it. Activations are computed again from the products.
; RUN: lispier run --explain=gradients %s 2>&1 | FileCheck %s
; CHECK: explain.lisp:[[#@LINE+12]]:12: the gradient of `loss-of` keeps 3 values of the forward pass, 896 bytes
; CHECK-NEXT: explain.lisp:[[#@LINE+4]]:16: f32 [3 4 8], of all iterations
; CHECK-NEXT: explain.lisp:[[#@LINE+5]]:18: f32 [3 4 8], of all iterations
; CHECK-NEXT: explain.lisp:[[#@LINE+3]]:10: f32 [4 8]
; CHECK: f32 [3 8 8]
(defn loss-of [(: x (tensor 4 8 f32)) (: w (tensor 3 8 8 f32))]
  (def y (fold [s x] [b w]
           (tanh (matmul s b))))
  (mean (* y y)))
(defn main []
  (def x (reshape (iota f32 [32]) [4 8]))
  (def w (reshape (sin (iota f32 [192])) [3 8 8]))
  (println (grad loss-of x w :wrt 1)))

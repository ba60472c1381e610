; What a gradient keeps of the forward pass: of a loop stacks of what it carries and of products, in straight code what is
; read behind it. Activations are computed again from the products.
; RUN: lispier run --explain=gradients %s 2>&1 | FileCheck %s
; CHECK: explain.lisp:{{[0-9]+}}:12: the gradient of `loss-of` keeps 3 values of the forward pass, 896 bytes
; CHECK-NEXT: explain.lisp:[[#@LINE+3]]:16: f32 [3 4 8], of all iterations
; CHECK-NEXT: explain.lisp:[[#@LINE+4]]:18: f32 [3 4 8], of all iterations
; CHECK-NEXT: explain.lisp:[[#@LINE+2]]:10: f32 [4 8]
(defn loss-of [(: x (tensor 4 8 f32)) (: w (tensor 3 8 8 f32))]
  (def y (fold [s x] [b w]
           (tanh (matmul s b))))
  (mean (* y y)))
; Where all that follows from a product follows from what it is rounded to, that is kept.
; CHECK: the gradient of `rounded` keeps 4 values of the forward pass
; CHECK-NEXT: f32 [? ? ?], of all iterations
; CHECK-NEXT: explain.lisp:[[#@LINE+5]]:19: bf16 [? ? ?], of all iterations
; CHECK-NEXT: f32 [? ?]{{$}}
; CHECK-NEXT: f32 [? ?]{{$}}
(defn rounded [(: x (tensor n c f32)) (: u (tensor l c c f32)) (: b (tensor l c f32))]
  (def y (fold [x x] [u u b b]
           (def h (cast bf16 (+ (einsum "nc,fc->nf" x u) b)))
           (+ x (tanh (cast f32 h)))))
  (mean (* y y)))
; Of a residual block what it carries and the first product are kept: of the second one only sizes are read, which are
; those that it is made with.
; CHECK: the gradient of `residual` keeps 4 values
; CHECK-NEXT: f32 [? ? ?], of all iterations
; CHECK-NEXT: f32 [? ? ?], of all iterations
; CHECK-NEXT: f32 [? ?]{{$}}
; CHECK: f32 [3 8 8]
(defn residual [(: x (tensor n c f32)) (: u (tensor l f c f32)) (: d (tensor l c f f32)) (: b (tensor l c f32))]
  (def y (fold [x x] [u u d d b b]
           (+ x (+ (einsum "nf,cf->nc" (tanh (einsum "nc,fc->nf" x u)) d) b))))
  (mean (* y y)))
(defn main []
  (def x (reshape (iota f32 [32]) [4 8]))
  (def w (reshape (sin (iota f32 [192])) [3 8 8]))
  (println (grad loss-of x w :wrt 1))
  (println (grad rounded x w (zeros f32 [3 8])))
  (println (grad residual x w w (zeros f32 [3 8]) :wrt 3)))

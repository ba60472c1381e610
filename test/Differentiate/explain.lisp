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
; Where all that follows from a product follows from what it is rounded to, that is kept, and nothing that it is made of.
; CHECK: the gradient of `rounded` keeps 2 values of the forward pass
; CHECK-NEXT: explain.lisp:[[#@LINE+4]]:19: bf16 [3 4 8], of all iterations
; CHECK-NEXT: f32 [4 8]{{$}}
(defn rounded [(: x (tensor n c f32)) (: u (tensor l c c f32)) (: b (tensor l c f32))]
  (def y (fold [x x] [u u b b]
           (def h (cast bf16 (+ (einsum "nc,fc->nf" x u) b)))
           (+ x (tanh (cast f32 h)))))
  (mean (* y y)))
; Of a residual block the first product is kept, from which what its gradient needs is computed: of the second one only
; sizes are read.
; CHECK: the gradient of `residual` keeps 2 values
; CHECK-NEXT: f32 [3 4 8], of all iterations
; CHECK-NEXT: f32 [4 8]{{$}}
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

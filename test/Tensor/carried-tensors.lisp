; What a loop carries is overwritten where its last use permits it: no iteration allocates a new one.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --templates=false %s | FileCheck %s --check-prefix=VALUE

; The residual of both products, in a copy of the argument; all that is left to allocate is outside of the loop.
; CHECK-LABEL: func.func @layers(
; CHECK: memref.copy %arg0, %[[X:[^ ]*]] :
; CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[^ ]*}} {
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: "layers_1"{{.*}} outs(%[[X]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: "layers_4"{{.*}} outs(%[[X]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: dealloc
(defn layer [(: x (tensor t c f32)) (: w (tensor c c f32)) (: g (tensor c f32))] -> (tensor t c f32)
  (def y (+ x (einsum "tc,nc->tn" (rms-norm x g) w)))
  (+ y (einsum "tc,nc->tn" (relu (einsum "tc,nc->tn" (rms-norm y g) w)) w)))
(defn layers [(: x (tensor t c f32)) (: w (tensor l c c f32)) (: g (tensor l c f32))] -> (tensor t c f32)
  (fold [y x] [i 0 l] (layer y (at w i) (at g i))))

; The value before is needed afterwards, as is a transposed one for all elements.
; CHECK-LABEL: func.func @needed_later(
; CHECK: scf.for
; CHECK: memref.alloc
; CHECK: return
(defn needed_later [(: x (tensor c c f32)) (: w (tensor c c f32)) (: l index)] -> (tensor c c f32)
  (fold [y x] [i 0 l]
    (def z (+ y (einsum "tc,nc->tn" y w)))
    (+ (transpose z [1 0]) (* 0.5 y))))

; VALUE: {{^2.500 8.000 1.000$}}
(defn main []
  (def x (full f32 [2 2] 1.0))
  (def w (full f32 [2 2] 0.25))
  (def g (full f32 [2 2] 1.0))
  (println "%.3f %.3f %.3f" (at (layers x (full f32 [2 2 2] 0.25) g) 0 0) (at (needed_later x w 3) 0 0) (at x 0 0)))

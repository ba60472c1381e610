; Loops whose values are made anew in each iteration: buffers before the loop, and no allocation in it.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier --emit=tensor --explain=memory %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=PLAN
; PLAN: memory of transposed: {{.*}} bytes for 3 tensors

; What the loop begins with is an argument, which it does not overwrite: two buffers beside it.
; CHECK-LABEL: func.func @transposed(
; CHECK: %[[ARENA:.*]] = memref.alloc
; CHECK-DAG: memref.view %[[ARENA]]
; CHECK-DAG: memref.view %[[ARENA]]
; CHECK: scf.for {{.*}} iter_args(%[[X:[^ ]*]] = %arg0, %[[FREE:[^ ]*]] = %{{.*}}, %[[NEXT:[^ ]*]] = %{{[^ )]*}})
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}} ins(%[[X]] {{.*}} outs(%[[FREE]]
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.yield %[[FREE]], %[[NEXT]], %[[FREE]]
(defn transposed [(: x (tensor c c f32)) (: l index)] -> f32
  (at (sum (fold [y x] [i 0 l] (+ (* 0.5 y) (transpose y [1 0]))))))

; The value before is still in use: the next one needs memory of its own.
; CHECK-LABEL: func.func @both(
; CHECK: scf.for
; CHECK: scf.yield
(defn both [(: x (tensor c c f32)) (: l index)] -> f32
  (let [[a b] (fold [a x b x] [i 0 l] [(+ (* 0.5 a) (transpose a [1 0])) a])] (at (sum (+ a b)))))

; VALUE: {{^20.25 22.5$}}
(defn main []
  (def x (reshape (iota f32 [4]) [2 2]))
  (println "%g %g" (transposed x 3) (both x 2)))

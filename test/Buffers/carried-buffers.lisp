; Loops whose values are made anew in each iteration: buffers before the loop, and no allocation in it.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier --emit=tensor --explain=memory %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=PLAN
; PLAN: memory of transposed: {{.*}} bytes for 3 tensors

(require-dialect memref)

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

; A value that is carried on stays in its buffer: one more of them, and no copy.
; CHECK-LABEL: func.func @both(
; CHECK: %[[RESULT:.*]]:5 = scf.for {{.*}} iter_args(%[[A:[^ ]*]] = {{.*}}, %[[B:[^ ]*]] = {{.*}}, %[[FREE:[^ ]*]] = {{.*}}, %[[NEXT:[^ ]*]] = {{.*}}, %[[LAST:[^ ]*]] = {{[^ )]*}})
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}} ins(%[[A]] {{.*}} outs(%[[FREE]]
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.yield %[[FREE]], %[[A]], %[[NEXT]], %[[LAST]], %[[FREE]] :
(defn both [(: x (tensor c c f32)) (: l index)] -> f32
  (let [[a b] (fold [a x b x] [i 0 l] [(+ (* 0.5 a) (transpose a [1 0])) a])] (at (sum (+ a b)))))

; Where the new value replaces the one that is dropped, the two exchange their memory. It is the loop's own: what it
; begins with is copied, once.
; CHECK-LABEL: func.func @wave(
; CHECK-COUNT-2: memref.copy
; CHECK: %[[RESULT:.*]]:2 = scf.for {{.*}} iter_args(%[[U:[^ ]*]] = {{.*}}, %[[V:[^ ]*]] = {{[^ )]*}})
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}} ins(%[[U]] {{.*}} outs(%[[V]]
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.yield %[[V]], %[[U]] :
; The result is the caller's: nothing is left to find out during the run.
; CHECK-NOT: dealloc_helper
; CHECK: return
(defn wave [(: u0 (tensor n f32)) (: v0 (tensor n f32)) (: steps index)] -> (tensor n f32)
  (let [[a b] (fold [u u0 v v0] [i 0 steps] [(- (* 1.9 u) v) u])] (+ a b)))

; Both begin with the same memory.
; CHECK-LABEL: func.func @three(
; CHECK-COUNT-3: memref.copy
; CHECK: scf.for {{.*}} iter_args(%[[U:[^ ]*]] = {{.*}}, %[[V:[^ ]*]] = {{.*}}, %[[W:[^ ]*]] = {{[^ )]*}})
; CHECK: scf.yield %[[W]], %[[U]], %[[V]] :
(defn three [(: u0 (tensor n f32)) (: steps index)] -> (tensor n f32)
  (let [[a b c] (fold [u u0 v u0 w u0] [i 0 steps] [(+ (* 1.5 u) (* 0.5 w)) u v])] (+ a (* 10.0 b) (* 100.0 c))))

; What the caller owns is not written, where it has become the second value and that is updated.
; CHECK-LABEL: func.func @updated(
; CHECK: memref.copy %arg0, %[[OWN:.*]] :
; CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %[[OWN]],
(defn updated [(: x (tensor n n f32)) (: l index)] -> (tensor n n f32)
  (let [[a b] (fold [a x b (* 0.0 x)] [i 0 l] [(+ (* 0.5 a) (transpose a [1 0])) a])]
    (update b (full f32 [1 1] 9.0) [0 0])))

; VALUE: {{^20.25 22.5$}}
; VALUE-NEXT: f32 [3]
; VALUE-NEXT: [-3.351 -6.702 -10.053]
; VALUE-NEXT: f32 [3]
; VALUE-NEXT: [687.438 1374.88 2062.31]
; VALUE: {{^\[\[9 1\]$}}
; VALUE: {{^\[\[0 1\]$}}
(defn main []
  (def x (reshape (iota f32 [4]) [2 2]))
  (println "%g %g" (transposed x 3) (both x 2))
  (def y (+ 1.0 (iota f32 [3])))
  (println (wave y (* 2.0 y) 3))
  (println (three y 5))
  (def m (memref.alloc {:result memref<2x2xf32>}))
  (store x m)
  (println (updated (load m) 1))
  (println (load m)))

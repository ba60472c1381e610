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

; Also beside numbers that are made of the same value, which is overwritten after that, and with tensors of several types,
; some of them results of one kernel.
; CHECK-LABEL: func.func @summed(
; CHECK: memref.copy %arg0, %[[X:[^ ]*]] :
; CHECK: scf.for
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(row) ins(%[[X]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(elementwise) {{.*}}outs(%[[X]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: dealloc
(defn step [(: x (tensor n f32))]
  (def y (+ (* x 0.5) 1.0))
  [y (at (sum y))])
(defn summed [(: a (tensor n f32)) (: k index)]
  (fold [x a s (: 0.0 f32)] [i 0 k]
    (def [y t] (step x))
    [y (+ s t)]))
; CHECK-LABEL: func.func @counted(
; CHECK: scf.for
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: dealloc
(defn counted [(: a (tensor n f32)) (: k index)]
  (fold [x a c (zeros i32 [n]) most (: 0.0 f32)] [i 0 k]
    (def [y t] (step x))
    [y (+ c (cast i32 (> y 1.5))) (max most (at (max y)))]))

; Also where a condition ends the loop.
; CHECK-LABEL: func.func @until(
; CHECK: memref.copy %arg0, %[[X:[^ ]*]] :
; CHECK: scf.while
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(elementwise) {{.*}}outs(%[[X]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: dealloc
(defn until [(: a (tensor n f32)) (: most f32)]
  (loop [x a s (: 0.0 f32)] :while (< s most)
    :do (do (def [y t] (step x)) [y (+ s t)])))

; What an iteration makes of memory that it then writes is made before: that memory, which is not copied.
; CHECK-LABEL: func.func @written(
; CHECK: scf.for
; CHECK: ins(%{{.*}}, %[[PART:subview[^ ]*]] :
; CHECK: %[[TO:subview[^ ]*]] = memref.subview %arg1
; CHECK-NOT: memref.copy %arg1
; CHECK: outs(%[[TO]] :
; CHECK: return
(defn written [(: a (tensor n f32)) (: all (inout (tensor k n f32)))]
  (fold [x a s (: 0.0 f32)] [i 0 k]
    (def y (+ x (at all i)))
    (update all (reshape (* 2.0 x) [1 n]) [i 0])
    [y (+ s (at (sum x)))]))

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
; VALUE: {{^1.750 8.500, 1.750 1 1.750, 1.750 8.500$}}
; VALUE: {{^7.000 7.000, 2.000 4.000 8.000$}}
; A stack of what each iteration makes is not filled before: all of it is written. Nor is one that begins empty.
; CHECK-LABEL: func.func @stacks(
; CHECK-NOT: linalg.fill
; CHECK: scf.for
; CHECK: return
(defn stacks [(: a (tensor n f32)) (: k index)]
  (fold [x a xs (zeros f32 [k n]) ys (empty f32 [k n])] [i 0 k]
    (def y (+ 1.0 (* 2.0 x)))
    [y (update xs (* 3.0 y) [i 0]) (update ys (- y x) [i 0])]))
; What is read, written in part, or in some iterations only, begins as it is said.
; CHECK-LABEL: func.func @"parts-of-stacks"(
; CHECK-COUNT-3: linalg.fill
; CHECK: scf.for
; CHECK: return
(defn parts-of-stacks [(: a (tensor n f32)) (: k index)]
  (fold [x a sums (zeros f32 [k n]) parts (zeros f32 [k n]) late (zeros f32 [(+ k 1) n])] [i 0 k]
    (def y (+ 1.0 (* 2.0 x)))
    [y (update sums (+ y (at sums (/ i 2))) [i 0]) (update parts (slice y [0] [1]) [i 1]) (update late y [(+ i 1) 0])]))
(defn main []
  (def x (full f32 [2 2] 1.0))
  (def w (full f32 [2 2] 0.25))
  (def g (full f32 [2 2] 1.0))
  (println "%.3f %.3f %.3f" (at (layers x (full f32 [2 2 2] 0.25) g) 0 0) (at (needed_later x w 3) 0 0) (at x 0 0))
  (def [y total] (summed (zeros f32 [2]) 3))
  (def [z count most] (counted (zeros f32 [2]) 3))
  (def [u sofar] (until (zeros f32 [2]) 6.0))
  (println "%.3f %.3f, %.3f %d %.3f, %.3f %.3f" (at y 1) total (at z 1) (at count 1) most (at u 1) sofar)
  (def all (reshape (+ 1.0 (iota f32 [3])) [3 1]))
  (def [v before] (written (full f32 [1] 1.0) all))
  (println "%.3f %.3f, %.3f %.3f %.3f" (at v 0) before (at all 0 0) (at all 1 0) (at all 2 0))
  (def [sx sxs sys] (stacks (iota f32 [2]) 3))
  (println (reshape sxs [6])) ; VALUE: [3 9 9 21 21 45]
  (println (reshape sys [6])) ; VALUE: [1 2 2 4 4 8]
  (def [px sums parts late] (parts-of-stacks (iota f32 [2]) 3))
  (println (reshape sums [6])) ; VALUE: [1 3 4 10 11 25]
  (println (reshape parts [6])) ; VALUE: [0 1 0 3 0 7]
  (println (reshape late [8]))) ; VALUE: [0 0 1 3 3 7 7 15]

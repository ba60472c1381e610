; What is computed from a tensor that is written in place, element by element, is computed there: no copy, no memory.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --fuse=false %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; All of it, three at once: 28 bytes for each weight of Adam.
; CHECK-LABEL: func.func @adam(
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(elementwise) ins(%arg3 : memref<?x?xf32>) outs(%arg1, %arg2, %arg0 :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return
(defn adam [(: w (inout (tensor n c f32))) (: m (inout (tensor n c f32))) (: v (inout (tensor n c f32))) (: g (tensor n c f32))]
  (def m2 (+ (* 0.5 m) (* 0.5 g)))
  (def v2 (+ (* 0.75 v) (* 0.25 (* g g))))
  (update w (- (* 0.5 w) (/ m2 (+ 1.0 (sqrt v2)))) [0 0])
  (update m m2 [0 0])
  (update v v2 [0 0]))

; Sizes that are known, and what is replaced without being read: the last value is made in the argument.
; CHECK-LABEL: func.func @doubled(
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: outs(%arg0 :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: outs(%arg1 :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return
(defn doubled [(: a (inout (tensor 4 f32))) (: b (inout (tensor 4 f32))) (: x (tensor 4 f32))]
  (update a (* 2.0 a) [0]) (update b (+ 1.0 x) [0]))

; A product, and sums of columns, are added to a slice of the sum, and to all of it.
; CHECK-LABEL: func.func @gradients(
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(contraction) {{.*}}outs(%{{[^ ]*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>)
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(row) {{.*}}outs(%arg1 :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return
(defn gradients [(: dw (inout (tensor l n c f32))) (: db (inout (tensor n f32))) (: i index) (: dy (tensor t n f32)) (: x (tensor t c f32))]
  (update (at dw i) (+ (at dw i) (einsum "tn,tc->nc" dy x)) [0 0])
  (update db (+ db (sum dy :axis 0)) [0]))

; In a loop, where the slices of weights change; equal beginnings of sums in different loops are no tensor in memory.
; CHECK-LABEL: func.func @steps(
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.for
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(row) {{.*}}outs(%{{[^ ]*}} : memref<?xf32, strided<[1], offset: ?>>)
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: kind(row) {{.*}}outs(%{{[^ ]*}} : memref<?xf32, strided<[1], offset: ?>>)
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return
(defn steps [(: w (inout (tensor l n f32))) (: d (inout (tensor l n f32))) (: x (tensor l t n f32))]
  (for [i 0 l] (update (at w i) (- (at w i) (sum (at x i) :axis 0)) [0]))
  (for [i 0 l] (update (at d i) (sum (at x i) :axis 0) [0])))

; What a kernel reads of the argument was written by an op before it: it overwrites that, and does not read the argument
; beside its result.
; CHECK-LABEL: func.func @partly(
; CHECK: memref.copy %arg1,
; CHECK: kind(elementwise) ins(%arg2 : memref<4xf32>) outs(%arg0 : memref<4xf32>)
; CHECK: return
(defn partly [(: d (inout (tensor 4 f32))) (: x (tensor 2 f32)) (: y (tensor 4 f32))]
  (update d x [1])
  (update d (+ (* 2.0 d) y)))

; Not in place: what is needed at other places, by other ops afterwards, or after the next write.
(defn mirrored [(: w (inout (tensor n n f32)))] (update w (+ w (transpose w)) [0 0]))
(defn neighbours [(: w (inout (tensor n f32)))]
  (update w (+ (slice w [0] [(- n 1)]) (slice w [1] [(- n 1)])) [0]))
(defn old-sum [(: w (inout (tensor n f32)))]
  (def s (sum w)) (def old (load w)) (update w (* 2.0 w) [0]) (+ s (sum old)))
(defn swapped [(: a (inout (tensor 4 f32))) (: b (inout (tensor 4 f32)))]
  (def old (load a)) (update a b [0]) (update b old [0]))

; Exported functions write the arguments in an order in which none is needed any more.
; CHECK-LABEL: func.func @passed(
; CHECK: memref.copy %arg0, %arg1
; CHECK-NEXT: memref.copy %arg2, %arg0
(defn passed [(: a (inout (tensor 4 f32))) (: b (inout (tensor 4 f32))) (: x (tensor 4 f32))]
  (update b a [0]) (update a x [0]))

(defn main []
  (def x (iota f32 [4]))
  (def [w m v] [(reshape (+ 1.0 x) [2 2]) (reshape (* 2.0 x) [2 2]) (zeros f32 [2 2])])
  (def [mw mm mv] [(load w) (load m) (load v)])
  (adam mw mm mv (reshape (* 2.0 x) [2 2]))
  (println (reshape mw [4])) ; VALUE: [0.5 0 0.166667 0.5]
  (println (reshape mm [4])) ; VALUE: [0 2 4 6]
  (println (reshape mv [4])) ; VALUE: [0 1 4 9]
  (def [a b] [(load x) (load x)])
  (doubled a b (* 2.0 x))
  (println a) ; VALUE: [0 2 4 6]
  (println b) ; VALUE: [1 3 5 7]
  (def [dw db] [(full f32 [2 2 2] 1.0) (full f32 [2] 1.0)])
  (for [k 0 2] (gradients dw db k (reshape x [2 2]) (reshape x [2 2])))
  (println (reshape dw [8])) ; VALUE: [5 7 7 11 5 7 7 11]
  (println db) ; VALUE: [5 9]
  (def [sw sd] [(zeros f32 [2 2]) (zeros f32 [2 2])])
  (steps sw sd (reshape (iota f32 [8]) [2 2 2]))
  (println (reshape sw [4])) ; VALUE: [-2 -4 -10 -12]
  (println (reshape sd [4])) ; VALUE: [2 4 10 12]
  (def q (load (reshape x [2 2])))
  (mirrored q)
  (println (reshape q [4])) ; VALUE: [0 3 3 6]
  (def n (load x))
  (neighbours n)
  (println n) ; VALUE: [1 3 5 3]
  (println "%g" (at (old-sum n))) ; VALUE: {{^24$}}
  (println n) ; VALUE: [2 6 10 6]
  (swapped a b)
  (println (+ a (* 10.0 b))) ; VALUE: [1 23 45 67]
  (passed a b x)
  (println (+ a (* 10.0 b)))) ; VALUE: [10 31 52 73]

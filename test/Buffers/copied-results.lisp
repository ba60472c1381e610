; What is reshaped and then joined, stacked or stored is computed where it goes.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --fuse=false %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
(require-dialect memref)

; Heads one after the other, of both tensors: the joined tensor's memory, and no copy.
; CHECK-LABEL: func.func @joined(
; CHECK: memref.alloc
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}}outs(%{{[^ ]*}} : memref<?x?x?xf32, strided<[?, ?, 1]>>)
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}}outs(%{{[^ ]*}} : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>)
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return
(defn rows [(: x (tensor h t d f32)) (: w (tensor d d f32))]
  (reshape (einsum "htd,de->the" x w) [(dim x 1) (* (dim x 0) (dim x 2))]))
(defn joined [(: q (tensor h t d f32)) (: k (tensor h t d f32)) (: w (tensor d d f32))]
  (concat (rows q w) (rows k w) :axis 1))

; Both results of one kernel, which are beside each other.
; CHECK-LABEL: func.func @"two-of-one"(
; CHECK-NOT: memref.copy
; CHECK: group.kernel {{.*}}outs(%{{[^ ]*}}, %{{[^ ]*}} : memref<{{.*}}, strided<{{.*}}>>, memref<{{.*}}, strided<{{.*}}>>)
; CHECK-NOT: memref.copy
; CHECK: return
(defn two-of-one [(: x (tensor 2 2 2 f32))]
  (concat (reshape (- x (mean x :axis 2 :keep true)) [2 4]) (reshape (- x (max x :axis 2 :keep true)) [2 4]) :axis 1))

; In a loop, into a slice of what it carries, where a later kernel reads it, too.
; CHECK-LABEL: func.func @stacked(
; CHECK: scf.for
; CHECK-NOT: memref.copy
; CHECK: return
(defn stacked [(: x (tensor h t d f32)) (: w (tensor d d f32)) (: n index)]
  (fold [s (zeros f32 [n t (* h d)]) y (zeros f32 [t (* h d)])] [i 0 n]
    (def r (rows (* (cast f32 i) x) w))
    [(update s r [i 0 0]) (+ y (* 2.0 r))]))

; What is in the place is read, or written, between the two: a copy.
; CHECK-LABEL: func.func @"read-before"(
; CHECK: memref.copy
; CHECK: return
(defn read-before [(: c (inout (tensor n f32))) (: x (tensor 2 2 f32)) (: w (tensor 2 2 f32))]
  (def y (einsum "ab,bc->ac" x w))
  (def before (sum c))
  (update c (+ c 1.0) [0])
  (def after (sum c))
  (update c (reshape y [4]) [0])
  (+ before after (sum y)))
(defn twice [(: c (inout (tensor 4 f32))) (: x (tensor 2 2 f32)) (: w (tensor 2 2 f32))]
  (def y (einsum "ab,bc->ac" x w))
  (update c (reshape y [4]) [0])
  (update c (* 2.0 c) [0])
  (+ (sum y) (* 10.0 (sum c))))

; What the loop carries has the sizes of what is copied to it: these are not asked of the copy itself.
; CHECK-LABEL: func.func @exchanged(
; CHECK: scf.for
; CHECK: return
(defn exchanged [(: y (tensor 1 1 n 3 f32))]
  (def [a b c] (fold [a (+ y y) b (+ y 1.0) c (+ y 2.0)] [i 0 3] [(+ (* 0.5 a) c) a b]))
  (+ a (+ b c)))

(defn main []
  (def x (reshape (iota f32 [8]) [2 2 2]))
  (def w (reshape (+ 1.0 (iota f32 [4])) [2 2]))
  (println (two-of-one x))
  ; VALUE: [-0.5 0.5 -0.5 0.5 -1 0 -1 0]
  ; VALUE-NEXT: [-0.5 0.5 -0.5 0.5 -1 0 -1 0]
  (println (joined x (* 10.0 x) w))
  ; VALUE: [3 4 19 28 30 40 190 280]
  ; VALUE-NEXT: [11 16 27 40 110 160 270 400]
  (def [s y] (stacked x w 3))
  (println (at s 2)) ; VALUE: [6 8 38 56]
                     ; VALUE-NEXT: [22 32 54 80]
  (println (reshape y [8])) ; VALUE: [18 24 114 168 66 96 162 240]
  (def c (load (iota f32 [4])))
  (println "%g" (at (read-before c (at x 0) w))) ; VALUE: {{^50$}}
  (println c) ; VALUE: [3 4 11 16]
  (println "%g" (at (twice c (at x 1) w))) ; VALUE: {{^2394$}}
  (println c) ; VALUE: [38 56 54 80]
  (def m (memref.alloc {:result memref<2x2xf32>}))
  (store (reshape (concat (at x 0) (at x 1) :axis 0) [2 4]) (memref.alloc {:result memref<2x4xf32>}))
  (store (reshape (reshape (rows (slice x [0 0 0] [1 2 2]) w) [4]) [2 2]) m)
  (println (reshape (load m) [4])) ; VALUE: [3 4 11 16]
  (println (reshape (exchanged (iota f32 [1 1 1 3] :axis -1)) [3]))) ; VALUE: [5 12 19]

; A product whose sum is long and whose result has few tiles: on a GPU, programs sum parts, and a second kernel adds these
; and does what follows. No atomics: the result does not depend on the order of programs.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | lispier-opt -lispier-split-sums | FileCheck %s
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>%t.txt
; RUN: FileCheck %s --check-prefix=TILES <%t.mlir
; RUN: FileCheck %s --check-prefix=EXPLAIN <%t.txt
; RUN: lispier --emit=tiles --target=cpu %s | FileCheck %s --check-prefix=CPU
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; CPU-NOT: _parts

; The parts are a dimension of the factors, whose programs count as those of a batch. What follows is in the second kernel,
; which no longer reads the factors.
; CHECK-LABEL: func.func @gradient(
; CHECK-DAG: %[[X:.*]] = memref.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [[[S:[0-9]+]], [[K:[0-9]+]], 64]
; CHECK-DAG: %[[Y:.*]] = memref.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [[[S]], [[K]], 96]
; CHECK: group.kernel "gradient_0_parts" kind(contraction) ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[PARTS:.*]] : memref<[[S]]x64x96xf32
; CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
; CHECK: group.kernel "gradient_0" kind(row) ins(%arg2, %[[PARTS]] :
; CHECK: iterator_types = ["reduction", "parallel", "parallel"]
; CHECK: math.tanh
; EXPLAIN: kernel gradient_0_parts, contraction
; EXPLAIN: kernel gradient_0, row
; EXPLAIN: not in gradient_0_parts: more programs sum parts than there would be for whole sums
; TILES-LABEL: gpu.func @gradient_0_parts(
; TILES: vector.contract
; TILES-LABEL: gpu.func @gradient_0(
; TILES: vector.multi_reduction <add>
(defn gradient [(: x (tensor 8192 64 f32)) (: y (tensor 8192 96 f32)) (: b (tensor 96 f32))]
  (gelu (+ (einsum "tc,td->cd" x y) b)))

; A summed dimension that is one of two is not cut, but its elements are the parts.
; CHECK-LABEL: func.func @texts(
; CHECK-NOT: expand_shape
; CHECK: group.kernel "texts_0_parts" kind(contraction) ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}} : memref<16x32x64xf32
(defn texts [(: x (tensor 16 512 32 bf16)) (: y (tensor 16 512 64 bf16))] (einsum "btc,btd->cd" x y :out f32))

; Along rows of the factors.
; CHECK-LABEL: func.func @rows(
; CHECK: expand_shape %arg0 {{\[\[}}0], [1, 2]]
; CHECK: group.kernel "rows_0_parts"
(defn rows [(: x (tensor 24 8192 bf16)) (: w (tensor 40 8192 bf16))] (einsum "tc,dc->td" x w))

; Enough tiles; one row, whose programs have rows of the weights; a sum that is short. long-sums.lisp has lengths that only
; the run knows.
; CHECK-NOT: _parts"
(defn large [(: x (tensor 1024 4096 bf16)) (: w (tensor 1024 4096 bf16))] (einsum "tc,dc->td" x w))
(defn one [(: x (tensor 1 8192 f32)) (: w (tensor 64 8192 f32))] (einsum "tc,dc->td" x w))
(defn short [(: x (tensor 64 512 f32)) (: w (tensor 64 512 f32))] (einsum "tc,dc->td" x w))
; CHECK-LABEL: func.func @main(

; The largest difference from F64, beside the largest number.
(defn compare [a b (: tolerance f64)]
  (println "%d" (cast i32 (< (at (max (abs (- (cast f64 a) b)))) (* tolerance (at (max (abs b))))))))

(defn main []
  ; VALUE-COUNT-3: {{^1$}}
  (def x (reshape (sin (* 0.37 (iota f32 [524288]))) [8192 64]))
  (def y (reshape (cos (* 0.11 (iota f32 [786432]))) [8192 96]))
  (def b (iota f32 [96]))
  (def z (+ (einsum "tc,td->cd" (cast f64 x) (cast f64 y)) (cast f64 b)))
  (compare (gradient x y b) (gelu z) (: 1e-5 f64))
  (def u (cast bf16 (reshape (slice (reshape x [524288]) [0] [262144]) [16 512 32])))
  (def v (cast bf16 (reshape (slice (reshape y [786432]) [0] [524288]) [16 512 64])))
  (compare (texts u v) (einsum "btc,btd->cd" (cast f64 u) (cast f64 v)) (: 1e-5 f64))
  (def r (cast bf16 (reshape (slice (reshape x [524288]) [0] [196608]) [24 8192])))
  (def w (cast bf16 (reshape (slice (reshape y [786432]) [0] [327680]) [40 8192])))
  ; The result is rounded to BF16.
  (compare (rows r w) (einsum "tc,dc->td" (cast f64 r) (cast f64 w)) (: 0.004 f64)))

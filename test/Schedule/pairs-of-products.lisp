; Two products of one operand whose results meet, as those of a gated linear unit, are one kernel of a tile program: a
; loop reads a tile of what they share once, and has the sums of both.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>%t.txt
; RUN: FileCheck %s --check-prefix=EXPLAIN <%t.txt
; RUN: FileCheck %s --check-prefix=TILES <%t.mlir
; RUN: lispier --emit=tensor --target=cpu %s | FileCheck %s --check-prefix=CPU
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE

; On a CPU each product is a kernel.
; CPU-LABEL: func.func @gated(
; CPU-COUNT-2: group.kernel "gated_{{[0-9]}}" kind(contraction)

; TILES-LABEL: gpu.func @gated_0(
; TILES: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
; TILES: vector.transfer_read
; TILES: vector.transfer_read
; TILES: vector.contract
; TILES-NEXT: vector.transfer_read
; TILES-NEXT: vector.contract
; TILES-NEXT: scf.yield
; TILES-NOT: scf.for
; TILES-NOT: gpu.func @gated_1(
(defn gated [(: x (tensor 48 128 bf16)) (: gate (tensor 96 128 bf16)) (: up (tensor 96 128 bf16))]
  (cast bf16 (* (silu (einsum "tk,nk->tn" x gate :out f32)) (einsum "tk,nk->tn" x up :out f32))))

; One row: both sums are in one loop over the row, which is read once; few and many rows have tiles.
; TILES-LABEL: gpu.func @"any-gated_0_1"(
; TILES: scf.for {{.*}} iter_args(
; TILES-NOT: vector.contract
; TILES-NOT: scf.for
; TILES-LABEL: gpu.func @"any-gated_0_16"(
; TILES-COUNT-2: vector.contract
(defn any-gated [(: x (tensor t 1100 f32)) (: gate (tensor n 1100 f32)) (: up (tensor n 1100 f32))]
  (* (silu (einsum "tk,nk->tn" x gate)) (einsum "tk,nk->tn" x up)))

; The weights are what the two share, one operand is the transpose of the other's, and the first sum is needed elsewhere.
; TILES-LABEL: gpu.func @"shared-weights_0"(
; TILES: vector.contract
; TILES-NEXT: vector.transfer_read
; TILES-NEXT: vector.contract
; TILES-NOT: gpu.func @"shared-weights_1"(
(defn shared-weights [(: x (tensor 40 96 f32)) (: y (tensor 96 40 f32)) (: w (tensor 24 96 f32))]
  (def a (einsum "tk,nk->tn" x w))
  [(- a (* 0.5 (einsum "kt,nk->tn" y w))) a])

; Three products of one operand: the third is a kernel of its own, as are products of different operands, ...
; TILES-LABEL: gpu.func @three_0(
; TILES-LABEL: gpu.func @three_1(
; TILES-NOT: gpu.func @three_2(
; EXPLAIN-DAG: not in three_0: each of the two is a product, with tiles of its own
(defn three [(: x (tensor 16 32 f32)) (: a (tensor 8 32 f32)) (: b (tensor 8 32 f32)) (: c (tensor 8 32 f32))]
  (+ (einsum "tk,nk->tn" x a) (+ (einsum "tk,nk->tn" x b) (einsum "tk,nk->tn" x c))))
; TILES-LABEL: gpu.func @different_0(
; EXPLAIN-DAG: not in different_0: each of the two is a product, with tiles of its own
(defn different [(: x (tensor 16 32 f32)) (: y (tensor 16 32 f32)) (: a (tensor 8 32 f32)) (: b (tensor 8 32 f32))]
  (+ (einsum "tk,nk->tn" x a) (einsum "tk,nk->tn" y b)))
; ... those that read other rows of it, ...
; EXPLAIN-DAG: not in turned_0: each of the two is a product, with tiles of its own
(defn turned [(: x (tensor 16 32 f32)) (: a (tensor 16 32 f32)) (: b (tensor 16 32 f32))]
  (+ (einsum "tk,nk->tn" x a) (einsum "nk,tk->tn" x b)))
; ... and a product of the other's result.
; EXPLAIN-DAG: not in chained_0: each of the two is a product, with tiles of its own
(defn chained [(: x (tensor 16 16 f32)) (: a (tensor 16 16 f32))]
  (def y (einsum "tk,nk->tn" x a))
  (+ y (einsum "tk,nk->tn" y a)))

; The largest difference from F64, beside the largest number.
(defn compare [a b (: tolerance f64)]
  (println "%d" (cast i32 (< (at (max (abs (- (cast f64 a) b)))) (* tolerance (at (max (abs b))))))))

(defmacro numbers [rows columns step] `(reshape (sin (* ~step (iota f32 [~(* rows columns)]))) [~rows ~columns]))
(defn wide [x w] (einsum "tk,nk->tn" (cast f64 x) (cast f64 w)))

(defn main []
  ; VALUE-COUNT-8: {{^1$}}
  (def x (cast bf16 (numbers 48 128 0.37)))
  (def gate (cast bf16 (numbers 96 128 0.11)))
  (def up (cast bf16 (numbers 96 128 0.73)))
  ; Rounded to BF16.
  (compare (gated x gate up) (* (silu (wide x gate)) (wide x up)) (: 0.004 f64))
  (def a (numbers 9 1100 0.19))
  (def b (numbers 9 1100 0.53))
  (def rows (numbers 18 1100 0.41))
  (def row (slice rows [0 0] [1 1100]))
  (def few (slice rows [1 0] [5 1100]))
  (compare (any-gated rows a b) (* (silu (wide rows a)) (wide rows b)) (: 2e-5 f64))
  (compare (any-gated row a b) (* (silu (wide row a)) (wide row b)) (: 2e-5 f64))
  (compare (any-gated few a b) (* (silu (wide few a)) (wide few b)) (: 2e-5 f64))
  (def p (numbers 40 96 0.3))
  (def q (numbers 96 40 0.7))
  (def w (numbers 24 96 0.9))
  (def [difference sums] (shared-weights p q w))
  (compare difference (- (wide p w) (* 0.5 (wide (transpose q) w))) (: 1e-5 f64))
  (compare sums (wide p w) (: 1e-5 f64))
  (def c (numbers 16 32 0.31))
  (def d (numbers 8 32 0.17))
  (def e (numbers 8 32 0.83))
  (compare (three c d e d) (+ (wide c d) (+ (wide c e) (wide c d))) (: 1e-5 f64))
  (compare (turned c c (numbers 16 32 0.59))
           (+ (wide c c) (transpose (wide c (numbers 16 32 0.59)))) (: 1e-5 f64)))

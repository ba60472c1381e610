; Which formulas are computed by rings: products of a batch, two products that are multiplied with each other, and what
; follows them. Batches and pairs are as on the CPU.
; RUN: lispier --emit=loops --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier run --effort=full %s > %t.expected
; RUN: lispier run --effort=full --target=sim:sm_90a %s | diff %t.expected -
; Two factors of each step, of a batch and of one product; of two products, three.
; CHECK: gpu.func @batched_0(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @gated_0(
; CHECK-COUNT-3: tile.fill %
; Of products whose factors both have the summed dimension first, as gradients of weights have; of products of one step.
; CHECK: gpu.func @gradients_0(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @scores_0(
; CHECK-COUNT-2: tile.fill %
; Results in another order, and products of few tiles, are not.
; CHECK: gpu.func @turned_0(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @few_0(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @main_0(
(defn batched [(: a (tensor 66 128 128 bf16)) (: b (tensor 66 128 512 bf16))]
  (cast bf16 (einsum "bmk,bkn->bmn" a b :out f32)))
(defn gated [(: x (tensor 2176 128 bf16)) (: g (tensor 1024 128 bf16)) (: u (tensor 1024 128 bf16))]
  (cast bf16 (* (silu (einsum "tk,nk->tn" x g :out f32)) (einsum "tk,nk->tn" x u :out f32))))
(defn gradients [(: a (tensor 66 128 128 bf16)) (: b (tensor 66 128 512 bf16))]
  (einsum "bkm,bkn->bmn" a b :out f32))
(defn scores [(: a (tensor 66 128 64 bf16)) (: b (tensor 66 512 64 bf16))]
  (cast bf16 (einsum "bmk,bnk->bmn" a b :out f32)))
(defn turned [(: a (tensor 66 128 128 bf16)) (: b (tensor 66 128 512 bf16))]
  (cast bf16 (einsum "bmk,bkn->bnm" a b :out f32)))
(defn few [(: a (tensor 2 128 128 bf16)) (: b (tensor 2 128 512 bf16))]
  (cast bf16 (einsum "bmk,bkn->bmn" a b :out f32)))
(defn numbers [x (: m i32)] (- (cast bf16 (% x m)) (cast bf16 (/ m 2))))
(defn main []
  (def a (numbers (reshape (iota i32 [1081344]) [66 128 128]) 7))
  (def b (numbers (reshape (iota i32 [4325376]) [66 128 512]) 5))
  (def c (batched a b))
  (println "%g" (at (sum (* (cast f32 c) (cast f32 (% (reshape (iota i32 [4325376]) [66 128 512]) 11))))))
  (println "%g" (at (sum (* (gradients a b) (cast f32 (% (reshape (iota i32 [4325376]) [66 128 512]) 11))))))
  (def d (scores (reshape (slice (reshape a [1081344]) [0] [540672]) [66 128 64])
                 (reshape (slice (reshape b [4325376]) [0] [2162688]) [66 512 64])))
  (println "%g" (at (sum (* (cast f32 d) (cast f32 (% (reshape (iota i32 [4325376]) [66 128 512]) 11))))))
  (def y (gated (numbers (reshape (iota i32 [278528]) [2176 128]) 7) (numbers (reshape (iota i32 [131072]) [1024 128]) 5)
                (numbers (reshape (iota i32 [131072]) [1024 128]) 9)))
  (println "%.4g" (at (sum (* (cast f32 y) (cast f32 (% (reshape (iota i32 [2228224]) [2176 1024]) 11)))))))

; The derivative of attention takes 0 for the weight of what is masked, whatever the row's sum is: its kernels do not walk
; tiles in which all is masked, either, and walk those in which nothing is in a loop of their own, without the mask: keys
; before the rows of the tile, and rows after its keys. Exponentials, whose scores are sums of products of BF16, are
; powers of two.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; CHECK-LABEL: gpu.func @gradients_2(
; CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c256
; CHECK: %[[WHOLE:.*]] = arith.minsi %{{.*}}, %[[END]]
; CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c64
; CHECK: vector.contract
; CHECK-NOT: arith.cmpi
; CHECK: math.exp2
; CHECK-COUNT-2: vector.contract
; CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END]] step %c64
; CHECK: arith.select
; CHECK-LABEL: gpu.func @gradients_3(
; CHECK: %[[FIRST:.*]] = arith.maxsi
; CHECK: %[[BLOCK:.*]] = arith.divui %[[FIRST]]
; CHECK: %[[BEGIN:.*]] = arith.muli %[[BLOCK]]
; CHECK: %[[WHOLE:.*]] = arith.minsi %{{.*}}, %c256
; CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[WHOLE]] step %c64
; CHECK: arith.select
; CHECK: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
; CHECK: scf.for %{{.*}} = %[[WHOLE]] to %c256 step %c64
; CHECK-NOT: arith.cmpi
; CHECK: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
(defn attended [(: q (tensor 2 256 4 64 bf16)) (: k (tensor 2 256 4 64 bf16)) (: v (tensor 2 256 4 64 bf16))]
  (def seen (<= (iota i32 [256]) (iota i32 [256 1] :axis 0)))
  (def scores (where seen (/ (einsum "bthd,bshd->bhts" q k :out f32) 8.0) -inf))
  (cast bf16 (einsum "bhts,bshd->bthd" (cast bf16 (softmax scores)) v :out f32)))
(defn gradients [(: q (tensor 2 256 4 64 bf16)) (: k (tensor 2 256 4 64 bf16)) (: v (tensor 2 256 4 64 bf16))
                 (: do (tensor 2 256 4 64 bf16))]
  (vjp attended q k v :seed do :wrt [0 1 2]))

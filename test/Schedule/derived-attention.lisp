; The derivative of attention takes 0 for the weight of what is masked, whatever the row's sum is: its kernels do not walk
; tiles in which all is masked, either.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; CHECK-LABEL: gpu.func @gradients_2(
; CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c256
; CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c64
; CHECK-COUNT-3: vector.contract
; CHECK-LABEL: gpu.func @gradients_3(
; CHECK: %[[FIRST:.*]] = arith.maxsi
; CHECK: %[[BLOCK:.*]] = arith.divui %[[FIRST]]
; CHECK: %[[BEGIN:.*]] = arith.muli %[[BLOCK]]
; CHECK: scf.for %{{.*}} = %[[BEGIN]] to %c256
(defn attended [(: q (tensor 2 256 4 64 bf16)) (: k (tensor 2 256 4 64 bf16)) (: v (tensor 2 256 4 64 bf16))]
  (def seen (<= (iota i32 [256]) (iota i32 [256 1] :axis 0)))
  (def scores (where seen (/ (einsum "bthd,bshd->bhts" q k :out f32) 8.0) -inf))
  (cast bf16 (einsum "bhts,bshd->bthd" (cast bf16 (softmax scores)) v :out f32)))
(defn gradients [(: q (tensor 2 256 4 64 bf16)) (: k (tensor 2 256 4 64 bf16)) (: v (tensor 2 256 4 64 bf16))
                 (: do (tensor 2 256 4 64 bf16))]
  (vjp attended q k v :seed do :wrt [0 1 2]))

; What a product's result is computed with is read behind the loop of its sums, beside which it would need registers.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=SUM

; CHECK-LABEL: gpu.func @residual_0(
; CHECK-NOT: vector.transfer_read
; CHECK: scf.for
; CHECK: vector.contract
; CHECK: scf.yield
; CHECK: vector.transfer_read
; CHECK: arith.addf
(defn residual [(: r (tensor 256 128 bf16)) (: a (tensor 256 512 bf16)) (: b (tensor 128 512 bf16))]
  (+ (cast f32 r) (einsum "mk,nk->mn" a b :out f32)))

; SUM: 16777216
(defn main []
  (println "%.0f" (sum (residual (full bf16 [256 128] 0.0) (full bf16 [256 512] 1.0) (full bf16 [128 512] 1.0)))))

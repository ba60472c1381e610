; Of x w^T with sizes that only a call knows, the program for large results has no form for other memory: there it is nn.linear.
; RUN: lispier --emit=loops --target=cuda:sm_90a %s | FileCheck %s
; CHECK: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c8650752 : index
; CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0{{.*}} : index
; CHECK: %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[ALIGNED]] : i1
; CHECK: scf.if %[[BOTH]] {
; CHECK: gpu.launch_func @kernels{{.*}}::@product_0
; CHECK: } else {
; CHECK: call @__template_nn.linear
; CHECK: gpu.func @product_0(
; CHECK-COUNT-2: tile.fill %
; CHECK-NOT: gpu.func @product_0_unaligned
(defn product [(: x (tensor _ _ bf16)) (: w (tensor _ _ bf16))] (cast bf16 (einsum "tk,nk->tn" x w :out f32)))

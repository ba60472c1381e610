; Large products by TF32 go by rings, for which a factor by columns is copied by rows, where many results use what it has.
; Numbers of 11 bits give what they give on a CPU.
; RUN: lispier --emit=loops --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier run %s > %t.expected
; RUN: lispier run --effort=full --target=sim:sm_90a --precision=tf32 %s | diff %t.expected -
; Exact ones, and those of other chips, are not copied.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=NONE
; RUN: lispier --emit=tiles --target=cuda:sm_90 --precision=tf32 %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: _packed(
; CHECK: gpu.func @rows_0(
; CHECK-COUNT-2: tile.fill %{{.*}}xf32
; PTX-LABEL: .entry rows_0(
; PTX: wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {{.*}}, {{(1|%p[0-9]+|p)}}, 1, 1;
(defn rows [(: x (tensor 2176 64 f32)) (: w (tensor 2048 64 f32)) (: bias (tensor 2048 f32))]
  (relu (+ bias (einsum "mk,nk->mn" x w))))
; CHECK: gpu.func @columns_0_packed(
; CHECK: gpu.func @columns_0(
; CHECK-COUNT-2: tile.fill %{{.*}}xf32
(defn columns [(: x (tensor 1088 128 f32)) (: w (tensor 128 4096 f32))] (matmul x w))
; Both factors; without a ring, as there are few tiles.
; CHECK: gpu.func @both_0_packed
; CHECK: gpu.func @both_0_packed
; CHECK: gpu.func @both_0(
; CHECK-NOT: tile.fill
; CHECK: tile.warpgroup_mma {{.*}}xf32
(defn both [(: x (tensor 128 1024 f32)) (: w (tensor 128 1024 f32))] (einsum "km,kn->mn" x w))
; Few results use an element; a sum is short.
; CHECK: gpu.func @few_0(
; CHECK-NOT: tile.warpgroup_mma
; CHECK: gpu.func @short_0(
; CHECK-NOT: tile.warpgroup_mma
; CHECK: gpu.func @main
(defn few [(: x (tensor 256 160 f32)) (: w (tensor 160 2048 f32))] (matmul x w))
(defn short [(: x (tensor 2048 40 f32)) (: w (tensor 40 2048 f32))] (matmul x w))
(defn numbers [(: n i64) & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 29)) 14.0))
(defn show [y]
  (def m (dim y 0))
  (def n (dim y 1))
  (println "%.6g" (at (sum (* y (cast f32 (% (reshape (iota i64 [(* m n)]) [m n]) 11)))))))
(defn main []
  (show (rows (reshape (numbers 139264) [2176 64]) (reshape (numbers 131072 :by 5) [2048 64]) (numbers 2048)))
  (show (columns (reshape (numbers 139264) [1088 128]) (reshape (numbers 524288 :by 5) [128 4096])))
  (show (both (reshape (numbers 131072) [128 1024]) (reshape (numbers 131072 :by 5) [128 1024]))))

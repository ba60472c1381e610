; Tiles of products of F32 factors: of rows deeper ones, of 128 bytes of a row a step; of other orders steps of 16; of
; factors that may be rounded to TF32 those of matrix instructions, unless a sum has too few elements for them, which
; stays exact.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=ROUNDED
; RUN: lispier --emit=ptx --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier run --target=sim:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=SUM
(defn rows [(: x (tensor 2048 512 f32)) (: w (tensor 2048 512 f32))] (einsum "mk,nk->mn" x w))
; CHECK-LABEL: gpu.func @rows_0(
; CHECK: vector.transfer_read {{.*}} vector<256x32xf32>
; CHECK: vector.transfer_read {{.*}} vector<64x32xf32>
; ROUNDED-LABEL: gpu.func @rows_0(
; ROUNDED: vector.contract {{.*}}tile.precision = #tile.precision<tf32>{{.*}}vector<128x32xf32>
; PTX-LABEL: .entry rows_0(
; PTX: wgmma.mma_async{{.*}}.tf32
(defn columns [(: x (tensor 2048 512 f32)) (: w (tensor 512 2048 f32))] (matmul x w))
; CHECK-LABEL: gpu.func @columns_0(
; CHECK: vector.transfer_read {{.*}} vector<128x16xf32>
; CHECK: vector.transfer_read {{.*}} vector<16x64xf32>
; ROUNDED-LABEL: gpu.func @columns_0(
; ROUNDED: vector.contract {{.*}}tile.precision = #tile.precision<tf32>{{.*}}vector<128x32xf32>, vector<{{[0-9]+}}x32xf32>
; Few results use an element of the second factor, which stays as it is.
(defn few-columns [(: x (tensor 256 512 f32)) (: w (tensor 512 8192 f32))] (matmul x w))
; ROUNDED-LABEL: gpu.func @"few-columns_0"(
; ROUNDED: vector.contract {{.*}}tile.precision = #tile.precision<tf32>{{.*}}vector<128x32xf32>, vector<32x128xf32>
; PTX: mma.sync{{.*}}.tf32
; Rows that only the call knows, of which there may be few, have tiles of at most 128.
(defn some [(: x (tensor _ 512 f32)) (: w (tensor 2048 512 f32))] (einsum "mk,nk->mn" x w))
; CHECK-LABEL: gpu.func @some_0
; CHECK-NOT: vector<256x32xf32>
; CHECK-LABEL: gpu.func @short_0(
; CHECK: vector.contract
; ROUNDED-LABEL: gpu.func @short_0(
; ROUNDED: vector.contract {{[^}]*}}} {{[^{]*}}vector<128x4xf32>
; PTX-LABEL: .entry short_0(
; PTX-NOT: mma.sync
; PTX: ret;
(defn short [(: x (tensor 2048 3 f32)) (: w (tensor 3 2048 f32))] (matmul x w))
; So do windows of few elements, which are products nevertheless.
(defn windows [(: x (tensor 8 3 64 64 f32)) (: f (tensor 64 3 3 3 f32))] (conv2d x f))
; ROUNDED-LABEL: gpu.func @windows_0(
; ROUNDED: vector.contract {{[^}]*}}} {{[^{]*}}vector<{{[0-9]+}}x4xf32>
; Of exact products sides and steps leave little beyond the end of what they are of: 96 rows, and 11 elements in a step of
; 12, also of windows; the columns of 64 tiles.
(defn fitting [(: x (tensor 96 11 f32)) (: w (tensor 11 12800 f32))] (matmul x w))
; CHECK-LABEL: gpu.func @fitting_0(
; CHECK: vector.contract {{.*}}vector<96x12xf32>, vector<12x64xf32> into vector<96x64xf32>
(defn windowed [(: x (tensor 10 3 59 224 f32)) (: f (tensor 96 3 11 11 f32))] (conv2d x f :stride 4))
; CHECK-LABEL: gpu.func @windowed_0(
; CHECK: vector.contract {{.*}}vector<64x12xf32>, vector<96x12xf32> into vector<96x64xf32>
; A product with few results is made in as many parts as keep three blocks of each multiprocessor busy.
(defn deep [(: a (tensor 256 524288 f32)) (: b (tensor 524288 256 f32))] (matmul a b))
; CHECK-LABEL: gpu.func @deep_0_parts(
; CHECK-SAME: memref<128x256x4096xf32
; The parts are as exact as the product may be.
; ROUNDED-LABEL: gpu.func @deep_0_parts(
; ROUNDED: vector.contract {{.*}}tile.precision = #tile.precision<tf32>
(defn small [(: n i64)] (- (cast f32 (% (* 31 (iota i64 [n])) 17)) 8.0))
(defn main []
  ; SUM: 1024
  ; SUM-NEXT: 1024
  ; SUM-NEXT: 6
  ; SUM-NEXT: -937 141
  ; SUM-NEXT: 7.07504596e+10
  (def x (full f32 [128 512] 1.0))
  (println (at (einsum "mk,nk->mn" x (* 2.0 x)) 3 5))
  (println (at (matmul x (full f32 [512 128] 2.0)) 3 5))
  (println (at (matmul (full f32 [128 3] 1.0) (full f32 [3 128] 2.0)) 3 5))
  (def p (fitting (reshape (small 1056) [96 11]) (reshape (small 140800) [11 12800])))
  (println "%g %g" (at (sum (* (cast f64 p) (cast f64 (% (iota i64 [96 12800] :axis 1) 7))))) (at (max (reshape p [_]))))
  (def y (windowed (reshape (small 396480) [10 3 59 224]) (reshape (small 34848) [96 3 11 11])))
  (println "%.9g" (at (sum (* (cast f64 y) (cast f64 y))))))

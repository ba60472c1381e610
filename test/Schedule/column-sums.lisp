; Sums of columns beside reductions of the same rows: a program has some rows, one tile after the other, and sums their
; columns in registers, so that what it reads is read once. A second kernel adds what the programs have, in one order.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; The gradients of a layer norm: of the rows, of its weight and of its bias. Neither the statistics nor the normalised
; rows are results of the kernel, as they were when another one summed.
; TILES-LABEL: gpu.func @"norm-backward_0"(%arg0: memref<64x8x160xf32>, %arg1: memref<64x8x160xbf16>, %arg2: memref<160xf32>, %arg3: memref<64x8x160xf32>, %arg4: memref<64x160xf32>, %arg5: memref<64x160xf32>)
; TILES: scf.for {{.*}} iter_args({{.*}}) -> (vector<4x256xf32>, vector<4x256xf32>,
; TILES-COUNT-2: vector.transfer_read
; TILES-NOT: vector.transfer_read
; TILES-COUNT-4: vector.multi_reduction <add>, {{.*}} [1]
; TILES: vector.transfer_write
; TILES-NOT: vector.transfer_write
; TILES: scf.yield
; TILES: vector.multi_reduction <add>, {{.*}} [0] : vector<4x256xf32> to vector<256xf32>
; TILES-LABEL: gpu.func @"norm-backward_0_sums"(%arg0: memref<64x160xf32>,
(defn norm-backward [(: dy (tensor 512 160 f32)) (: x (tensor 512 160 bf16)) (: g (tensor 160 f32))]
  (def centered (- (cast f32 x) (mean (cast f32 x) :axis -1 :keep true)))
  (def r (rsqrt (+ (mean (* centered centered) :axis -1 :keep true) 1e-5)))
  (def xh (* centered r))
  (def dxh (* dy g))
  [(* r (- dxh (mean dxh :axis -1 :keep true) (* xh (mean (* dxh xh) :axis -1 :keep true))))
   (sum (* dy xh) :axis 0) (sum dy :axis 0)])

; What is made of the sums is in the second kernel, what they begin with, too; a sum of the kernel's own result, a maximum,
; and rows along two dimensions, of which one alone is cut.
; TILES-LABEL: gpu.func @several_0(%arg0: memref<{{4x4x8x64|16x8x64}}xf32>,
; TILES-LABEL: gpu.func @several_0_sums(
(defn several [(: x (tensor 4 32 64 f32)) (: bias (tensor 64 f32))]
  (def y (/ x (+ 1.0 (sqrt (sum (* x x) :axis -1 :keep true)))))
  [y (+ bias (cast f32 (cast bf16 (sum y :axes [0 1])))) (max y :axes [0 1])])

; So it is where a sum of columns comes before those of rows: to it, rows are what columns are to them.
; TILES-LABEL: gpu.func @"sums-first_0"(
; TILES: scf.for {{.*}} -> (vector<4x256xf32>
; TILES: vector.multi_reduction <add>, {{.*}} [0] : vector<4x256xf32> to vector<256xf32>
(defn sums-first [(: x (tensor 512 160 f32))]
  (def total (sum x :axis 0))
  [total (/ x (+ 1.0 (sum (* x x) :axis -1 :keep true)))])

; Rows whose sums no registers hold stay with a kernel of their own for these.
; TILES-LABEL: gpu.func @long_1
(defn long [(: x (tensor 128 9000 f32))]
  (def y (/ x (sum (* x x) :axis -1 :keep true)))
  [y (sum y :axis 0)])

(defn main []
  (def x (reshape (sin (cast f32 (iota i32 [81920]))) [512 160]))
  (def dy (reshape (cos (* 1.7 (cast f32 (iota i32 [81920])))) [512 160]))
  (def [dx dg db] (norm-backward dy (cast bf16 x) (cos (cast f32 (iota i32 [160])))))
  ; CHECK: f32 [] 4.092e+04
  (println (sum (* dx dx)) :digits 4)
  ; CHECK: [0.239 1.01 -1.76 ... -0.116 -1.1 1.67]
  (println dg :digits 3)
  ; CHECK: [0.843 -1.02 -0.576 ... -0.95 0.916 0.722]
  (println db :digits 3)
  (def [y s m] (several (reshape (slice (reshape x [81920]) [0] [8192]) [4 32 64]) (cos (cast f32 (iota i32 [64])))))
  ; CHECK: f32 [] 0.168
  (println (sum y) :digits 3)
  ; CHECK: [1.15 0.576 -0.529 ... -0.244 0.816 1.13]
  (println s :digits 3)
  ; CHECK: [0.149 0.151 0.151 ... 0.151 0.151 0.149]
  (println m :digits 3)
  (def [total shares] (sums-first (abs x)))
  ; CHECK: [325 326 326 ... 325 326 326]
  (println total :digits 3)
  ; CHECK: f32 [] 644
  (println (sum shares) :digits 3))

; Windows are views of memory whose elements overlap, so that tile programs compute products and sums of them as of other
; tensors: a convolution is a product that sums several dimensions, in one loop over all of its steps.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; TILES-LABEL: gpu.func @strided_0(
; TILES-SAME: memref<2x2x3x3x24x8xf32, strided<[4536, 42, 63, 3, 189, 2]>>
; TILES: %[[STEPS:c[0-9_]+]] = arith.constant 18 : index
; TILES: scf.for {{.*}} to %[[STEPS]]
; TILES-NOT: scf.for
; TILES: vector.contract
; TILES: scf.yield
(defn strided [(: x (tensor 2 24 9 21 f32)) (: w (tensor 32 24 3 3 f32))]
  (conv2d x w :stride 2 :dilation [3 3]))

; Of three channels a step has four elements, and not the sixteen of a matrix instruction. The steps of all places of
; the window are one loop, which is pipelined.
; TILES-LABEL: gpu.func @short_0(
; TILES-SAME: stages = 2
; TILES: vector.contract {{.*}} vector<4x32xf32>, vector<4x32xf32> into
(defn short [(: x (tensor 2 3 9 21 f32)) (: w (tensor 32 3 2 2 f32))] (conv2d x w))

; Of short sums of many results a thread has results, and walks the elements of each.
; TILES-LABEL: gpu.func @pooled_0(
; TILES-COUNT-2: scf.for
; TILES: vector.transfer_read {{.*}} vector<{{[0-9]+}}x256xf32>
; TILES: arith.maximumf
(defn pooled [(: x (tensor 3 4 130 130 f32))] (max-pool2d x :size 2 :stride 1))
(defn tiled [(: x (tensor 3 4 520 130 f32))] (avg-pool2d x :size [4 1] :stride [1 1]))

(defn numbers [n & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 7)) 3.0))

(defn main []
  (def x (reshape (numbers 9072 :by 5) [2 24 9 21]))
  (def y (strided x (reshape (numbers 6912 :by 3) [32 24 3 3])))
  (println "%d %d %g %g" (dim y 2) (dim y 3) (at y 1 30 1 6) (sum (* y y))) ; CHECK: 2 8 -6 54600
  (def z (short (slice x :axis 1 :size 3) (reshape (numbers 384 :by 3) [32 3 2 2])))
  (println "%g %g" (at z 1 30 7 19) (sum (* z z)))           ; CHECK-NEXT: 3 367088
  (def p (pooled (reshape (numbers 202800 :by 5) [3 4 130 130])))
  (println "%g %g" (at p 2 3 128 128) (sum (* p p)))         ; CHECK-NEXT: 3 1.16962e+06
  (def t (tiled (reshape (numbers 811200 :by 5) [3 4 520 130])))
  (println "%g %g" (at t 2 3 516 129) (sum (* t t))))        ; CHECK-NEXT: -0.75 705708

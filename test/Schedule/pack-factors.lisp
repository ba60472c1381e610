; The weights of a convolution are contiguous along the places of a window, which no tile of a product has: they are
; copied to memory in which each place has the channels, those of the result last.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; TILES-LABEL: gpu.func @conv_1_packed(
; TILES-LABEL: gpu.func @conv_1(
; TILES-SAME: memref<3x5x24x32xf32>
(defn conv [(: x (tensor 2 24 60 61 f32)) (: w (tensor 32 24 3 5 f32))] (conv2d x w :padding 1))

; As wide as what a tile has are not copied, nor weights that are as many as the results.
; TILES-NOT: gpu.func @wide_0_packed(
(defn wide [(: x (tensor 4 4 42 90 f32)) (: w (tensor 32 4 3 33 f32))] (conv2d x w))
; TILES-NOT: gpu.func @few_0_packed(
(defn few [(: x (tensor 1 24 4 5 f32)) (: w (tensor 32 24 3 3 f32))] (conv2d x w))

(defn numbers [n & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 7)) 3.0))

(defn main []
  (def y (conv (reshape (numbers 175680 :by 5) [2 24 60 61]) (reshape (numbers 11520) [32 24 3 5])))
  (println "%g %g" (at y 1 30 7 9) (norm (at y 0 30))) ; CHECK: -21 2149.93
  (def z (wide (reshape (numbers 60480 :by 5) [4 4 42 90]) (reshape (numbers 12672) [32 4 3 33])))
  (println "%g %g" (at z 1 30 7 9) (norm (at z 0 30))) ; CHECK-NEXT: 94 3990.26
  (def f (few (reshape (numbers 480 :by 5) [1 24 4 5]) (reshape (numbers 6912) [32 24 3 3])))
  (println "%g %g" (at f 0 30 1 2) (norm f))) ; CHECK-NEXT: 40 723.489

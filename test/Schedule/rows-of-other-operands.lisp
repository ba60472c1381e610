; A result that has the rows' statistic and another operand: where its rows are as long as those that are reduced, one
; program makes a whole row, and reduces once. It did not see that the two are one dimension, and reduced a row for
; each of its elements. Where they are longer, the result is a kernel of its own.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=RESULT

; TILES-LABEL: gpu.func @equal_0
; TILES: vector.multi_reduction <add>, %{{.*}} : vector<4096xf32> to f32
; TILES: vector.transfer_write %{{.*}} : vector<4096xf32>, memref<64x4096xf32>
; TILES-NOT: gpu.func @equal_1
(defn equal [(: y (tensor 64 4096 f32)) (: x (tensor 64 4096 f32))]
  (+ (tanh (mean y :axis 1 :keep true)) x))

; TILES-LABEL: gpu.func @longer_0
; TILES: vector.multi_reduction <add>
; TILES-LABEL: gpu.func @longer_1
; TILES-NOT: vector.multi_reduction
; TILES: vector.transfer_write {{.*}} memref<64x8192xf32>
(defn longer [(: y (tensor 64 4096 f32)) (: x (tensor 64 8192 f32))]
  (+ (tanh (mean y :axis 1 :keep true)) x))

; RESULT: f32 [] 1.76{{.*}}
; RESULT-NEXT: f32 [] 1.76{{.*}}
(defn main []
  (let [y (full f32 [64 4096] 1.0)]
    (println (mean (equal y y)))
    (println (mean (longer y (full f32 [64 8192] 1.0))))))

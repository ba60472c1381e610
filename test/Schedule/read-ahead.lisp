; A loop reads its next tile ahead. In the last step that is behind the row, also where the row is a whole number of tiles:
; there the tile has no elements, as behind the last row there may be no memory.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; CHECK-LABEL: gpu.func @sums_0(
; CHECK: vector.transfer_read %{{.*}}[%block_id_x, %c0], %{{.*}} {in_bounds = [true]}
; CHECK: scf.for %[[I:.*]] = %c0 to %c32768 step %c8192
; CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c8192
; CHECK: vector.transfer_read %{{.*}}[%block_id_x, %[[NEXT]]], %{{[a-z0-9_]+}} : memref<3x32768xf32>, vector<8192xf32>
(defn sums [(: x (tensor 3 32768 f32))] (sum x :axis 1))
(defn main [] (println (sums (full f32 [3 32768] 0.5)))) ; VALUE: [16384 16384 16384]

; Tiles read from memory and written to it.
; RUN: lispier --emit=module %s | FileCheck %s

; CHECK: gpu.func @accesses(%[[M:.*]]: memref<?x?xf32>, %[[S:.*]]: memref<16x64xbf16>, %[[V:.*]]: memref<?xf32>, %[[N:.*]]: i32)
; A tile has the memref's last dimensions; outside it is 0.
; CHECK: %[[ROW:.*]] = arith.index_cast %[[N]] : i32 to index
; CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
; CHECK: %[[LINE:.*]] = vector.transfer_read %[[M]][%[[ROW]], %{{.*}}], %[[ZERO]] : memref<?x?xf32>, vector<32xf32>
; Where sizes and indices are known, the tile is known to be inside.
; CHECK: vector.transfer_read %[[S]][%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true, true]} : memref<16x64xbf16>, vector<16x32xbf16>
; CHECK: vector.transfer_read %[[S]][%{{.*}}, %[[ROW2:.*]]], %{{.*}} {in_bounds = [true, false]} : memref<16x64xbf16>, vector<16x32xbf16>
; A mask is broadcast to the tile.
; CHECK: %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
; CHECK: %[[MASK:.*]] = vector.broadcast %{{.*}} : vector<4x1xi1> to vector<4x32xi1>
; CHECK: vector.transfer_read %[[M]][%{{.*}}, %{{.*}}], %[[ONE]], %[[MASK]] : memref<?x?xf32>, vector<4x32xf32>
; CHECK: memref.load %[[V]][%[[C3:.*]]]
; CHECK: vector.transfer_write %[[LINE]], %[[V]][%{{.*}}] : vector<32xf32>, memref<?xf32>
; CHECK: vector.transfer_write %[[LINE]], %[[M]][%{{.*}}, %{{.*}}], %{{.*}} : vector<32xf32>, memref<?x?xf32>
; CHECK: memref.store %{{.*}}, %[[V]]
(deftile accesses [(: m memref<?x?xf32>) (: s memref<16x64xbf16>) (: v memref<?xf32>) (: n i32)]
  (def line (load m [n 0] [32]))
  (def known (load s [0 32] [16 32]))
  (def partly (load s [0 n] [16 32]))
  (def masked (load m [0 0] [4 32] :else 1.0 :mask (< (iota i32 [4 1] :axis 0) n)))
  (def one (load v [3]))
  (store line v [0])
  (store line m [2 0] :mask (< (iota i32 [32]) n))
  (store (* 2.0 one) v [4]))

; One index tile for each dimension, brought to one shape; other integers become index.
; CHECK: gpu.func @places(%[[M:.*]]: memref<?x?xf32>, %[[T:.*]]: memref<?xi32>)
; CHECK: %[[I:.*]] = vector.transfer_read %[[T]]
; CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : vector<4x1xi32> to vector<4x1xindex>
; CHECK: %[[R:.*]] = vector.broadcast %[[ROWS]] : vector<4x1xindex> to vector<4x8xindex>
; CHECK: %[[C:.*]] = vector.broadcast %{{.*}} : vector<8xindex> to vector<4x8xindex>
; CHECK: %[[ELSE:.*]] = arith.constant -1.0{{.*}} : f32
; CHECK: %[[G:.*]] = tile.gather %[[M]][%[[R]], %[[C]]], %[[ELSE]], %{{.*}} : memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1> -> vector<4x8xf32>
; CHECK: tile.scatter %[[G]], %[[M]][%{{.*}}, %{{.*}}] : vector<4x8xf32>, memref<?x?xf32>, vector<4x8xindex>
; A number goes to all places.
; CHECK: %[[ONES:.*]] = arith.constant dense<1> : vector<4xi32>
; CHECK: tile.atomic_add %[[ONES]], %[[T]][%{{.*}}], %{{.*}} : vector<4xi32>, memref<?xi32>, vector<4xindex>, vector<4xi1>
(deftile places [(: m memref<?x?xf32>) (: t memref<?xi32>)]
  (def i (load t [0] [4]))
  (def g (gather m [(reshape i [4 1]) (iota index [8])] :else -1.0 :mask (> (reshape i [4 1]) 0)))
  (scatter g m [(reshape i [4 1]) (iota index [8])])
  (atomic-add 1 t [i] :mask (> i 3)))

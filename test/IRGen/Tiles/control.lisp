; Tiles that loops and branches carry.
; RUN: lispier --emit=module %s | FileCheck %s

; CHECK: gpu.func @carried(%[[M:.*]]: memref<?xf32>, %[[N:.*]]: i32)
; Several values, of which one is a tile; a number takes its type from the body.
; CHECK: %[[LOOP:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[N]]) : (vector<8xf32>, i32) -> (vector<8xf32>, i32)
; CHECK: scf.condition
; CHECK: scf.yield %{{.*}}, %{{.*}} : vector<8xf32>, i32
; CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (vector<8xf32>)
; CHECK: scf.yield %[[LOOP]]#0
; CHECK: scf.yield %{{.*}} : vector<8xf32>
; A loop without a value stores in its body.
; CHECK: scf.for
; CHECK: vector.transfer_write %[[IF]], %[[M]]
(deftile carried [(: m memref<?xf32>) (: n i32)]
  (def t (load m [0] [8]))
  (def [u left] (loop [u t left n] :while (> left 0) :do [(* 0.5 u) (- left 1)]))
  (def v (if (< left 1) u (zeros f32 [8])))
  (for [i 0 n 8] (store v m [i])))

; A nest of loops with one accumulator each; the inner one's tile is the outer one's next value.
; CHECK: gpu.func @nested
; CHECK: %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<4x4xf32>)
; CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]]) -> (vector<4x4xf32>)
; CHECK: scf.yield %[[INNER]]
; CHECK: vector.transfer_write %[[OUTER]]
(deftile nested [(: m memref<?x?xf32>)]
  (store (fold [acc (zeros f32 [4 4])] [i 0 16 4]
           (fold [acc acc] [j 0 16 4] (+ acc (load m [i j] [4 4]))))
         m [0 0]))

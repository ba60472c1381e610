; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect memref)

; Kernels stand in one gpu.module; a device function is copied there, and its host version goes when only threads can
; run it. Shared memory is an attribution of the kernel.
; CHECK: module attributes {gpu.container_module}
; CHECK-NOT: func.func @sum
; CHECK-LABEL: func.func @start
; CHECK-DAG: %[[GRID:.*]] = arith.divsi
; CHECK-DAG: %[[BYTES:.*]] = arith.index_cast %{{.*}} : index to i32
; CHECK: %[[CAST:.*]] = memref.cast %arg0 : memref<64xf32> to memref<?xf32>
; CHECK: gpu.launch_func @kernels::@step blocks in (%[[GRID]], %[[ONE:[a-z0-9_]+]], %[[ONE]]) threads in (%{{.*}}, %{{.*}}, %[[ONE]]) dynamic_shared_memory_size %[[BYTES]] args(%[[CAST]] : memref<?xf32>, %{{.*}} : f32)
(defn start [(: m memref<64xf32>) (: n index)]
  (launch step {:grid [(/ n 4)] :block [4 8] :shared (* n 16)} m 2.0))

; CHECK: gpu.module @kernels
; CHECK: gpu.func @step(%[[M:.*]]: memref<?xf32>, %[[BY:.*]]: f32) workgroup(%[[SHARED:.*]] : memref<4x8xf32, #gpu.address_space<workgroup>>) kernel
; CHECK: %[[X:.*]] = gpu.thread_id x
; CHECK: gpu.block_id y
; CHECK: gpu.block_dim z
; CHECK: gpu.grid_dim x
; CHECK: memref.store %{{.*}}, %[[SHARED]]
; CHECK: gpu.barrier
; CHECK: func.call @sum
; CHECK: gpu.subgroup_reduce maximumf %{{.*}} uniform : (f32) -> f32
; CHECK: gpu.all_reduce minsi %{{.*}} uniform {
; CHECK: gpu.lane_id
; CHECK: gpu.subgroup_id
; CHECK: gpu.shuffle up
; CHECK: gpu.shuffle down
; CHECK: gpu.shuffle idx
; CHECK: gpu.return
(defkernel step "Every word of a kernel." [(: m memref<?xf32>) (: by f32)]
  (def x (thread-id :x))
  (def all (+ x (block-id :y) (block-dim :z) (grid-dim :x)))
  (def tile (shared f32 [4 8]))
  (memref.store by tile 0 x)
  (barrier)
  (def a (sum (memref.load tile 0 x)))
  (def b (warp-reduce :max a))
  (def c (block-reduce :min (cast i32 all)))
  (def lane (+ (lane-id) (warp-id)))
  (def d (shuffle-up b 1))
  (def e (shuffle-down d 1))
  (def f (shuffle-from e 0))
  (memref.store (+ f (cast f32 c) (cast f32 lane)) m all))

; CHECK: func.func private @sum
; CHECK: %[[WIDTH:.*]] = gpu.subgroup_size
; CHECK: %[[WORD:.*]] = arith.index_cast %[[WIDTH]] : index to i32
; CHECK: gpu.shuffle xor %{{.*}}, %{{.*}}, %[[WORD]] : f32
(defn sum [(: v f32)] -> f32
  (+ v (shuffle-xor v 1)))

; A kernel without a name of its own uses what is known around it; `:name` is what a profiler shows.
; CHECK-LABEL: func.func @around
; CHECK: gpu.launch blocks{{.*}} threads{{.*}} function(@twice)
; CHECK: memref.load %arg0
; CHECK: gpu.terminator
(defn around [(: m memref<?xf32>)]
  (launch {:name twice :grid [(memref.dim m 0)] :block [1]}
    (memref.store (* 2.0 (memref.load m (block-id :x))) m (block-id :x))))

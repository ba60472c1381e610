// RUN: lispier-opt %s -lispier-infer-block-size | FileCheck %s

// CHECK-LABEL: gpu.func @same
// CHECK-SAME: known_block_size = array<i32: 128, 2, 1>
// CHECK-NOT: gpu.block_dim
// CHECK: arith.constant 2 : index
// CHECK-NOT: known_cluster_size
// CHECK-LABEL: gpu.func @different
// CHECK-NOT: known_block_size
// CHECK-SAME: known_cluster_size = array<i32: 2, 1, 1>
// CHECK-LABEL: gpu.func @computed
// CHECK-NOT: known_block_size
// CHECK-LABEL: gpu.func @said
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
module attributes {gpu.container_module} {
  func.func @main(%n: index, %a: memref<8xindex>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@same blocks in (%n, %c1, %c1) threads in (%c128, %c2, %c1) args(%a : memref<8xindex>)
    gpu.launch_func @m::@same blocks in (%c1, %c1, %c1) threads in (%c128, %c2, %c1) args(%a : memref<8xindex>)
    gpu.launch_func @m::@different clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c128, %c2, %c1)
    gpu.launch_func @m::@different clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c2, %c2, %c1)
    gpu.launch_func @m::@computed blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
    gpu.launch_func @m::@said blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
    return
  }
  gpu.module @m {
    gpu.func @same(%a: memref<8xindex>) kernel {
      %i = gpu.thread_id x
      %n = gpu.block_dim y
      memref.store %n, %a[%i] : memref<8xindex>
      gpu.return
    }
    gpu.func @different() kernel { gpu.return }
    gpu.func @computed() kernel { gpu.return }
    gpu.func @said() kernel attributes {known_block_size = array<i32: 256, 1, 1>} { gpu.return }
  }
}

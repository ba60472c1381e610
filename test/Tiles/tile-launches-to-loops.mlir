// Blocks of a tile program become iterations, x innermost, of a function of block ids, grid sizes and parameters.
// RUN: lispier-opt %s -lispier-tile-launches-to-loops | FileCheck %s
// RUN: lispier run --from=tiles %s | FileCheck %s --check-prefix=RESULT

module attributes {gpu.container_module} {
  // CHECK: func.func private @kernels_number(%[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index,
  // CHECK-SAME: %[[W:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[M:[a-z0-9]+]]: memref<?x?xi32>) attributes {device.parallel_body, llvm.linkage = #llvm.linkage<internal>}
  // CHECK: arith.muli %[[Y]], %[[W]]
  // CHECK: memref.store %{{.*}}, %[[M]][%[[Y]], %[[X]]]
  // CHECK: return
  // CHECK-NOT: gpu.func @number
  gpu.module @kernels {
    gpu.func @number(%m: memref<?x?xi32>) kernel attributes {tile.program = #tile.program<>} {
      %x = gpu.block_id x
      %y = gpu.block_id y
      %w = gpu.grid_dim x
      %first = arith.muli %y, %w : index
      %n = arith.addi %first, %x : index
      %v = arith.index_cast %n : index to i32
      memref.store %v, %m[%y, %x] : memref<?x?xi32>
      gpu.return
    }
    // A kernel for threads stays one.
    // CHECK: gpu.func @threads
    gpu.func @threads() kernel { gpu.return }
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %m = memref.alloc() : memref<2x3xi32>
    %any = memref.cast %m : memref<2x3xi32> to memref<?x?xi32>
    // CHECK: scf.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) = (%{{.*}}) to (%c1, %c2, %c3)
    // CHECK: func.call @kernels_number(%[[K]], %[[J]], %[[I]], %c3, %c2, %c1, %{{.*}})
    gpu.launch_func @kernels::@number blocks in (%c3, %c2, %c1) threads in (%c1, %c1, %c1) args(%any : memref<?x?xi32>)
    // CHECK: gpu.launch_func @kernels::@threads
    gpu.launch_func @kernels::@threads blocks in (%c3, %c2, %c1) threads in (%c1, %c1, %c1)
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %v = vector.transfer_read %any[%c0, %c0], %i0 {in_bounds = [true, true]} : memref<?x?xi32>, vector<2x3xi32>
    // RESULT: ( ( 0, 1, 2 ), ( 3, 4, 5 ) )
    vector.print %v : vector<2x3xi32>
    memref.dealloc %m : memref<2x3xi32>
    return
  }
}

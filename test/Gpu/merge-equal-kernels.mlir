// RUN: lispier-opt %s -lispier-merge-equal-kernels | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @kernels::@first {{.*}} args(%[[A:.*]] : memref<4xf32>)
// CHECK: gpu.launch_func @kernels::@first {{.*}} args(%[[B:.*]] : memref<4xf32>)
// CHECK: gpu.launch_func @kernels::@other_operand
// CHECK: gpu.launch_func @kernels::@other_constant
// CHECK: gpu.launch_func @kernels::@other_block
// CHECK: gpu.func @first
// CHECK-NOT: @second
// CHECK: gpu.func @other_operand
// CHECK: gpu.func @other_constant
// CHECK: gpu.func @other_block
// CHECK: gpu.func @not_launched
module attributes {gpu.container_module} {
  func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)
    gpu.launch_func @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<4xf32>)
    gpu.launch_func @kernels::@other_operand blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<4xf32>)
    gpu.launch_func @kernels::@other_constant blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<4xf32>)
    gpu.launch_func @kernels::@other_block blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<4xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @first(%m: memref<4xf32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 1.0 : f32
      %d = arith.subi %x, %y : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
    gpu.func @second(%m: memref<4xf32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 1.0 : f32
      %d = arith.subi %x, %y : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
    gpu.func @other_operand(%m: memref<4xf32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 1.0 : f32
      %d = arith.subi %y, %x : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
    gpu.func @other_constant(%m: memref<4xf32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 2.0 : f32
      %d = arith.subi %x, %y : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
    gpu.func @other_block(%m: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 1.0 : f32
      %d = arith.subi %x, %y : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
    gpu.func @not_launched(%m: memref<4xf32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %v = arith.constant 1.0 : f32
      %d = arith.subi %x, %y : index
      memref.store %v, %m[%d] : memref<4xf32>
      gpu.return
    }
  }
}

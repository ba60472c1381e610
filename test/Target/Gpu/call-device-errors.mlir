// RUN: lispier-opt %s -lispier-call-device -split-input-file -verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>) kernel { gpu.return }
  }
  func.func @main() {
    %one = arith.constant 1 : index
    // expected-error @below {{kernels cannot reach the host's stack; allocate what they use with memref.alloc}}
    %m = memref.alloca() : memref<8xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    return
  }
}

// -----

func.func @main(%host: memref<4x4xf32, strided<[8, 1]>>) {
  %m = gpu.alloc() : memref<4x4xf32>
  // expected-error @below {{copies between host and device move memory in one piece}}
  gpu.memcpy %m, %host : memref<4x4xf32>, memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

func.func @main() {
  %v = arith.constant 1.5 : f64
  %m = gpu.alloc() : memref<6xf64>
  // expected-error @below {{fills memory in one piece with elements of 1, 2 or 4 bytes}}
  gpu.memset %m, %v : memref<6xf64>, f64
  return
}

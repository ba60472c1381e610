// Kernels get the memory of tensors: they read elements and sizes of it, also through a cast.
// RUN: lispier-opt --lispier-pass-tensors-to-kernels %s | FileCheck %s
module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @main(
  // CHECK: %[[M:.*]] = bufferization.to_buffer %arg0 : tensor<4xf32> to memref<4xf32>
  // CHECK: gpu.launch_func @kernels::@k {{.*}} args(%[[M]] : memref<4xf32>, %arg1 : memref<?xf32>)
  func.func @main(%x: tensor<4xf32>, %out: memref<?xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
        args(%x : tensor<4xf32>, %out : memref<?xf32>)
    return
  }
  gpu.module @kernels {
    // CHECK: gpu.func @k(%[[X:.*]]: memref<4xf32>, %[[OUT:.*]]: memref<?xf32>) kernel
    // CHECK: %[[A:.*]] = memref.load %[[X]][%{{.*}}]
    // CHECK: %[[C:.*]] = memref.cast %[[X]] : memref<4xf32> to memref<?xf32>
    // CHECK: %[[N:.*]] = memref.dim %[[C]]
    // CHECK: memref.store %[[A]], %[[OUT]][%[[N]]]
    gpu.func @k(%x: tensor<4xf32>, %out: memref<?xf32>) kernel {
      %zero = arith.constant 0 : index
      %a = tensor.extract %x[%zero] : tensor<4xf32>
      %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
      %n = tensor.dim %c, %zero : tensor<?xf32>
      memref.store %a, %out[%n] : memref<?xf32>
      gpu.return
    }
  }
}

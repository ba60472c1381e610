// RUN: lispier-opt %s -convert-elementwise-to-linalg -lispier-bufferize-tensors | FileCheck %s

// What a step yields leaves it as memory, and is not copied.
// CHECK-LABEL: func.func @step
// CHECK: device.replay -> {{.*}}memref<8xf32>
// CHECK: linalg.
// CHECK-NOT: memref.copy
// CHECK: device.yield
// CHECK: memref.load
func.func @step(%x: tensor<8xf32>, %i: index) -> f32 {
  %y = device.replay -> tensor<8xf32> {
    %sum = arith.addf %x, %x : tensor<8xf32>
    device.yield %sum : tensor<8xf32>
  }
  %v = tensor.extract %y[%i] : tensor<8xf32>
  return %v : f32
}

// What the program brings to the device, the program frees.
// CHECK-LABEL: func.func @upload
// CHECK: device.upload
// CHECK-NOT: dealloc
// CHECK: gpu.dealloc
// CHECK-NOT: dealloc
func.func @upload(%m: memref<8xf32>, %x: tensor<8xf32>, %i: index) -> f32 {
  %d = device.upload %m : memref<8xf32>
  %v = tensor.extract %x[%i] : tensor<8xf32>
  gpu.dealloc %d : memref<8xf32>
  return %v : f32
}

// What the host reads is memory of its own, in which no op computes and which is freed.
// CHECK-LABEL: func.func @download
// CHECK-SAME: %[[X:.*]]: memref<8xf32>
// CHECK: linalg.generic {{.*}}outs(%[[X]]
// CHECK: %[[HOST:.*]] = device.download %[[X]] : memref<8xf32> to memref<8xf32>
// CHECK: memref.load %[[HOST]]
// CHECK: memref.dealloc %[[HOST]]
func.func @download(%x: tensor<8xf32>, %i: index) -> f32 {
  %sum = arith.addf %x, %x : tensor<8xf32>
  %host = device.download %sum : tensor<8xf32> to tensor<8xf32>
  %v = tensor.extract %host[%i] : tensor<8xf32>
  return %v : f32
}

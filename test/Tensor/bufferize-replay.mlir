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

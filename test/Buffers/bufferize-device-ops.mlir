// RUN: lispier-opt %s -convert-elementwise-to-linalg -lispier-bufferize-tensors | FileCheck %s

// What a step makes is memory from before it, and is not copied.
// CHECK-LABEL: func.func @made
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK: device.replay {
// CHECK: linalg.
// CHECK-NOT: memref.copy
// CHECK: device.yield{{$}}
// CHECK: memref.load %[[Y]]
func.func @made(%x: tensor<8xf32>, %i: index) -> f32 {
  %y = device.replay -> tensor<8xf32> {
    %sum = arith.addf %x, %x : tensor<8xf32>
    device.yield %sum : tensor<8xf32>
  }
  %v = tensor.extract %y[%i] : tensor<8xf32>
  %w = tensor.extract %x[%i] : tensor<8xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// What it makes in memory from outside is that memory.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:.*]]: memref<8xf32>
// CHECK: device.replay {
// CHECK: linalg.
// CHECK-NOT: memref.copy
// CHECK: device.yield{{$}}
// CHECK: memref.load %[[X]]
func.func @step(%x: tensor<8xf32>, %i: index) -> f32 {
  %y = device.replay -> tensor<8xf32> {
    %sum = arith.addf %x, %x : tensor<8xf32>
    device.yield %sum : tensor<8xf32>
  }
  %v = tensor.extract %y[%i] : tensor<8xf32>
  return %v : f32
}

// What a step makes for the next one is allocated before all of them.
// CHECK-LABEL: func.func @repeated
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: device.replay {
// CHECK-NEXT: linalg.transpose
// CHECK-NEXT: device.yield{{$}}
// CHECK-NOT: memref.alloc
// CHECK: memref.load
func.func @repeated(%x: tensor<4x4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<4x4xf32> {
    %next = device.replay -> tensor<4x4xf32> {
      %e = tensor.empty() : tensor<4x4xf32>
      %t = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
      device.yield %t : tensor<4x4xf32>
    }
    scf.yield %next : tensor<4x4xf32>
  }
  %v = tensor.extract %last[%c0, %n] : tensor<4x4xf32>
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

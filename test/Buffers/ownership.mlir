// RUN: lispier-opt %s -lispier-bufferize-tensors | FileCheck %s

// Buffers that the iterations of a loop exchange are freed after it, by no flag that the loop would carry and the run
// would look at, although a branch decides about another one.
// CHECK-LABEL: func.func @turned
// CHECK: scf.for
// CHECK-SAME: -> (memref<4x4xf32>, memref<4x4xf32>) {
// CHECK-NEXT: linalg.transpose
// CHECK-NEXT: scf.yield
// CHECK: scf.if
// CHECK-NOT: call @dealloc_helper
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: memref.dealloc
// CHECK-NOT: call @dealloc_helper
// CHECK: return
func.func @turned(%x: tensor<4x4xf32>, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %first = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> tensor<4x4xf32> {
    %f = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0]
    scf.yield %t : tensor<4x4xf32>
  }
  %either = scf.if %c -> tensor<4x4xf32> {
    %f = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%r : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0]
    scf.yield %t : tensor<4x4xf32>
  } else {
    scf.yield %r : tensor<4x4xf32>
  }
  %v = tensor.extract %either[%c0, %n] : tensor<4x4xf32>
  return %v : f32
}

// Where the run must compare buffers, the lists of these are the host's own, and none of the tensors' memory.
// CHECK-LABEL: func.func @either
// CHECK: memref.alloca() : memref<2xindex>
// CHECK-NOT: memref.alloc() {{.*}}xindex>
// CHECK: call @dealloc_helper
// CHECK-NOT: memref.dealloc {{.*}}xindex>
// CHECK: return
func.func @either(%x: tensor<4x4xf32>, %i: index, %c: i1, %d: i1) -> f32 {
  %e = tensor.empty() : tensor<4x4xf32>
  %first = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %one = scf.if %c -> tensor<4x4xf32> {
    %f = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%first : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0]
    scf.yield %t : tensor<4x4xf32>
  } else {
    scf.yield %first : tensor<4x4xf32>
  }
  %other = scf.if %d -> tensor<4x4xf32> {
    %f = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%one : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0]
    scf.yield %t : tensor<4x4xf32>
  } else {
    scf.yield %one : tensor<4x4xf32>
  }
  %v = tensor.extract %other[%i, %i] : tensor<4x4xf32>
  return %v : f32
}

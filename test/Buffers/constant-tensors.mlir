// RUN: lispier-opt %s -lispier-bufferize-tensors | FileCheck %s

// Zeros from which each step of a loop starts to add, and which it also stores, are filled in where they are written:
// no tensor of zeros is kept and copied.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: %{{.*}}: memref<4x4xf32>, %[[M:.*]]: memref<4x4xf32>
// CHECK: scf.for
// CHECK: group.kernel "zeros"
// CHECK-SAME: outs(%[[M]]
// CHECK: group.kernel "zeros"
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: return
func.func @sums(%x: tensor<4x4xf32>, %m: memref<4x4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %zeros = group.kernel "zeros" kind(elementwise) outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: tensor<4x4xf32>):
    %cst = arith.constant 0.0 : f32
    %f = linalg.fill ins(%cst : f32) outs(%out : tensor<4x4xf32>) -> tensor<4x4xf32>
    group.yield %f : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> f32 {
    bufferization.materialize_in_destination %zeros in restrict writable %m : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%d = %zeros) -> tensor<4x4xf32> {
      %sum = linalg.add ins(%d, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %sum : tensor<4x4xf32>
    }
    %v = tensor.extract %s[%c0, %i] : tensor<4x4xf32>
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  return %total : f32
}

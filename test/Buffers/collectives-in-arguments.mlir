// The result of a collective that becomes an argument's last value is made in its memory, also in another shape.
// RUN: lispier-opt %s -split-input-file -lispier-bufferize-tensors | FileCheck %s

// CHECK-LABEL: func.func @join(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<3x5xf32>
// CHECK-SAME: %[[PART:[a-z0-9]+]]: memref<?xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[W]]
// CHECK: comm.all_gather %[[PART]] into %[[FLAT]]
// CHECK-NOT: memref.copy
// CHECK: return
module attributes {comm.mesh = "dp"} {
  func.func @join(%w: tensor<3x5xf32> {bufferization.writable = true, group.inout}, %part: tensor<?xf32>)
      -> tensor<3x5xf32> {
    %empty = tensor.empty() : tensor<15xf32>
    %all = comm.all_gather %part into %empty over ["dp"] dimension 0 : tensor<?xf32> into tensor<15xf32>
    %joined = tensor.expand_shape %all [[0, 1]] output_shape [3, 5] : tensor<15xf32> into tensor<3x5xf32>
    return %joined : tensor<3x5xf32>
  }
}

// -----

// Not where the argument is read, too: memory of its own, then a copy.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<4xf32>
// CHECK: %[[OUT:.*]] = memref.alloc
// CHECK: comm.all_reduce add %[[W]] into %[[OUT]]
// CHECK: memref.copy %[[OUT]], %[[W]]
module attributes {comm.mesh = "dp"} {
  func.func @read(%w: tensor<4xf32> {bufferization.writable = true, group.inout}) -> (tensor<4xf32>) {
    %empty = tensor.empty() : tensor<4xf32>
    %sum = comm.all_reduce add %w into %empty over ["dp"] : tensor<4xf32> into tensor<4xf32>
    return %sum : tensor<4xf32>
  }
}

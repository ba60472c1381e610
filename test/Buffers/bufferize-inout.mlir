// Arguments that a function writes in place.
// RUN: lispier-opt %s -split-input-file -lispier-bufferize-tensors -verify-diagnostics | FileCheck %s

// Their last values, which are the caller's memory, are no results any more.
// CHECK-LABEL: func.func @append(
// CHECK-SAME: %[[CACHE:[a-z0-9]+]]: memref<4x3xf32>
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: f32) -> f32
// CHECK-NOT: alloc
// CHECK: %[[ROW:.*]] = memref.subview %[[CACHE]][1, 0] [1, 3] [1, 1]
// CHECK: return %[[SUM]] : f32
func.func @append(%cache: tensor<4x3xf32> {bufferization.writable = true, group.inout}, %sum: f32)
    -> (f32, tensor<4x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3xf32>
  %row = linalg.fill ins(%zero : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  %written = tensor.insert_slice %row into %cache[1, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
  return %sum, %written : f32, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[CACHE:[a-z0-9]+]]: memref<4x3xf32>
// CHECK: %[[FIRST:.*]] = call @append(%[[CACHE]], %{{.*}}) : (memref<4x3xf32>, f32) -> f32
// CHECK: call @append(%[[CACHE]], %[[FIRST]])
// CHECK: return
func.func @twice(%cache: tensor<4x3xf32> {bufferization.writable = true, group.inout}, %sum: f32)
    -> tensor<4x3xf32> {
  %a:2 = call @append(%cache, %sum) : (tensor<4x3xf32>, f32) -> (f32, tensor<4x3xf32>)
  %b:2 = call @append(%a#1, %a#0) : (tensor<4x3xf32>, f32) -> (f32, tensor<4x3xf32>)
  return %b#1 : tensor<4x3xf32>
}

// -----

// The sum reads what the insertion has overwritten.
// expected-note @+1 {{the tensor is declared here}}
func.func @read_after(%cache: tensor<4x3xf32> {bufferization.writable = true, group.inout}, %row: tensor<3xf32>,
                      %i: index) -> (f32, tensor<4x3xf32>) {
  // expected-error @+1 {{this writes to memory of a tensor that is written in place, and other code still needs its numbers: a copy would be needed}}
  %written = tensor.insert_slice %row into %cache[1, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
  // expected-note @+1 {{the numbers are needed here; `load` of the tensor before copies them}}
  %old = tensor.extract %cache[%i, %i] : tensor<4x3xf32>
  return %old, %written : f32, tensor<4x3xf32>
}

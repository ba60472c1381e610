// RUN: lispier-opt %s -lispier-simplify-shapes -split-input-file | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// The mean of rows that keeps its dimension: the op on ?x1 is one on the rows of the sum, and no reshape is left between.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: tensor.expand_shape
// CHECK-NOT: tensor.collapse_shape
// CHECK: %[[E:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}} : tensor<?xf32>)
// CHECK: math.rsqrt
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[E]] : tensor<?x64xf32>, tensor<?xf32>)
// CHECK: return
func.func @kept(%x: tensor<?x64xf32>, %s: tensor<?xf32>, %n: index) -> tensor<?x64xf32> {
  %keep = tensor.expand_shape %s [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %e1 = tensor.empty(%n) : tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%keep : tensor<?x1xf32>) outs(%e1 : tensor<?x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.rsqrt %i : f32
    linalg.yield %0 : f32 } -> tensor<?x1xf32>
  %dropped = tensor.collapse_shape %r [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %dropped : tensor<?x64xf32>, tensor<?xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A product of one row keeps it: kernels are chosen by the dimensions.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<1x4xf32>)
func.func @one_row(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %z: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x8xf32>, tensor<4x8xf32>) outs(%z : tensor<1x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32 } -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

// The size of a result is that of the operand that it comes from.
// CHECK-LABEL: func.func @size(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>,
// CHECK: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: return %{{.*}}, %[[SIZE]]
func.func @size(%x: tensor<?xf32>, %init: tensor<?xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  return %y, %n : tensor<?xf32>, index
}

// -----

// A sum over a dimension of size 1 is elementwise, and reads what it starts from as an input: fusion may compute it more
// than once for an element.
// CHECK-LABEL: func.func @sum_of_one(
// CHECK: %[[FREE:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%{{.*}}, %[[ZERO]] : tensor<3xf32>, tensor<3xf32>) outs(%[[FREE]] : tensor<3xf32>) {
func.func @sum_of_one(%x: tensor<3x1xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x1xf32>) outs(%z : tensor<3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32 } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// The loop over the only window stays where the tensor has more elements: without it the loop over the window's would be
// one over the tensor's.
// CHECK-LABEL: func.func @only_window(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3xi32>, tensor<2xi32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>)
func.func @only_window(%x: tensor<3xi32>) -> (tensor<1x2xi32>, tensor<1x3xi32>) {
  %two = tensor.empty() : tensor<2xi32>
  %y_init = tensor.empty() : tensor<1x2xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %two : tensor<3xi32>, tensor<2xi32>) outs(%y_init : tensor<1x2xi32>) {
  ^bb0(%e: i32, %s: i32, %o: i32):
    linalg.yield %e : i32 } -> tensor<1x2xi32>
  %three = tensor.empty() : tensor<3xi32>
  %z_init = tensor.empty() : tensor<1x3xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %three : tensor<3xi32>, tensor<3xi32>) outs(%z_init : tensor<1x3xi32>) {
  ^bb0(%e: i32, %s: i32, %o: i32):
    linalg.yield %e : i32 } -> tensor<1x3xi32>
  return %y, %z : tensor<1x2xi32>, tensor<1x3xi32>
}

// RUN: lispier-opt %s -lispier-form-groups -split-input-file | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// A softmax is one kernel: reductions over the same axis of the same rows, and the elementwise ops between them. Its
// intermediate tensors are in the body, sized by the operands.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
// CHECK: %[[Y:.*]] = group.kernel "softmax_0" kind(row) ins(%[[X]] : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) {
// CHECK-NEXT: ^bb0(%[[XS:.*]]: tensor<?x?xf32>, %[[PLACE:.*]]: tensor<?x?xf32>):
// CHECK: tensor.dim %[[XS]]
// CHECK: linalg.generic {{.*}} outs(%[[PLACE]] : tensor<?x?xf32>)
// CHECK: group.yield
// CHECK-NOT: group.kernel
// CHECK: return %[[Y]]
func.func @softmax(%x: tensor<?x?xf32>, %t: index, %c: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty(%rows) : tensor<?xf32>
  %e2 = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32 } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.divf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#column = affine_map<(r, c) -> (c)>

// Not one kernel: sums of rows, and a sum of columns that needs all rows at once.
// CHECK-LABEL: func.func @two_axes(
// CHECK: group.kernel "two_axes_0" kind(row)
// CHECK: group.kernel "two_axes_1" kind(row)
// CHECK-SAME: apart = ["not in two_axes_0: {{.*}}"]
func.func @two_axes(%x: tensor<4x8xf32>, %z: tensor<4xf32>, %zc: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32 } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = math.powf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<4x8xf32>) outs(%zc : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32 } -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// A product takes in what follows it, also with a further operand, and conversions of its operands; and nothing that
// another product makes.
// CHECK-LABEL: func.func @mlp(
// CHECK: group.kernel "mlp_0" kind(contraction)
// CHECK: arith.extf
// CHECK: linalg.matmul
// CHECK: math.tanh
// CHECK: group.yield
// CHECK: group.kernel "mlp_1" kind(contraction)
// CHECK-SAME: apart = ["not in mlp_0: each of the two is a product, with tiles of its own"]
// CHECK-NOT: group.kernel
func.func @mlp(%x: tensor<4x8xbf16>, %w1: tensor<8x16xf32>, %b: tensor<16xf32>, %w2: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %xs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xbf16>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%xs, %w1 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  %h = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<4x16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32 } -> tensor<4x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%z2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>

// A dear op is not done for each use that a product makes of an operand's element; a reduction of a product's rows is
// not done in its tiles.
// CHECK-LABEL: func.func @around_product(
// CHECK: group.kernel "around_product_0" kind(elementwise)
// CHECK: group.kernel "around_product_1" kind(contraction)
// CHECK-SAME: apart = ["not in around_product_0: the product uses each element several times, and would compute it for each"]
// CHECK: group.kernel "around_product_2" kind(row)
// CHECK-SAME: apart = ["not in around_product_1: a reduction needs whole rows, and a tile of a product has parts of rows"]
func.func @around_product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %init: tensor<4x8xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %xs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %p = linalg.matmul ins(%xs, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(r, c) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32 } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>

// Elementwise ops that share a value are one op with two results. A call between two of them that needs the one and
// makes what the other needs keeps these apart.
// CHECK-LABEL: func.func @elementwise(
// CHECK: %[[BOTH:.*]]:2 = group.kernel "elementwise_0" kind(elementwise)
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: call @other
// CHECK: group.kernel "elementwise_1" kind(elementwise)
// CHECK-SAME: apart = ["not in elementwise_0: what lies between them needs the one, and the other needs it"]
func.func private @other(tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @elementwise(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.sqrt %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %u = call @other(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %u : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  return %b, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A scalar from outside, an index into another tensor, and a value updated in place: what the body needs are operands,
// and the tensor that is overwritten is the destination.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME: %[[TABLE:.*]]: tensor<9xf32>, %[[IDS:.*]]: tensor<4xi32>, %[[S:.*]]: f32, %[[ACC:.*]]: tensor<4xf32>
// CHECK: group.kernel "operands_0" kind(elementwise)
// CHECK-SAME: ins(%[[IDS]], %[[TABLE]], %[[S]] : tensor<4xi32>, tensor<9xf32>, f32) outs(%[[ACC]] : tensor<4xf32>)
func.func @operands(%table: tensor<9xf32>, %ids: tensor<4xi32>, %s: f32, %acc: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%ids : tensor<4xi32>) outs(%acc : tensor<4xf32>) {
  ^bb0(%i: i32, %o: f32):
    %at = arith.index_cast %i : i32 to index
    %0 = arith.mulf %o, %s : f32
    %1 = tensor.extract %table[%at] : tensor<9xf32>
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32 } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What reads a tensor is in a kernel before the op that overwrites it.
// CHECK-LABEL: func.func @overwritten(
// CHECK: group.kernel
// CHECK: tensor.insert_slice
// CHECK: group.kernel
func.func @overwritten(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %doubled = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %written = tensor.insert_slice %y into %x[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%doubled, %written : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %sum, %written : tensor<8xf32>, tensor<8xf32>
}

// Two results do not share a place that is a view of an empty tensor: the first may be read after the second is made.
// CHECK-LABEL: func.func @views_of_empty(
// CHECK: %[[A:.*]] = tensor.empty() : tensor<f32>
// CHECK: group.kernel {{.*}} outs(%[[A]] :
// CHECK: %[[B:.*]] = tensor.empty() : tensor<f32>
// CHECK: group.kernel {{.*}} outs(%[[B]] :
func.func private @use(tensor<f32>)
func.func @views_of_empty(%a: f32, %b: f32) {
  %e = tensor.empty() : tensor<1xf32>
  %c = tensor.collapse_shape %e [] : tensor<1xf32> into tensor<f32>
  %x = linalg.fill ins(%a : f32) outs(%c : tensor<f32>) -> tensor<f32>
  func.call @use(%x) : (tensor<f32>) -> ()
  %y = linalg.fill ins(%b : f32) outs(%c : tensor<f32>) -> tensor<f32>
  func.call @use(%y) : (tensor<f32>) -> ()
  return
}

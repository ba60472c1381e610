// RUN: lispier-opt %s -lispier-differentiate | FileCheck %s
// RUN: lispier-opt %s -lispier-differentiate=count-work 2>&1 >/dev/null | FileCheck %s --check-prefix=WORK

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> ()>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// sum(exp(x w)): the cotangent of the product is exp(x w), and that of a factor a product with permuted maps. The forward
// sum is dead, since nothing needs the value.
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<5x3xf32>, %[[W:.*]]: tensor<3x2xf32>
// CHECK: %[[Y:.*]] = linalg.contract indexing_maps = [#[[A]], #[[B]], #[[C]]] ins(%[[X]], %[[W]] :
// CHECK-NOT: reduction
// CHECK: %[[DY:.*]] = linalg.generic {{.*}} ins(%[[Y]], %{{.*}} : tensor<5x2xf32>, tensor<5x2xf32>)
// CHECK: math.exp
// CHECK: %[[DW:.*]] = linalg.contract indexing_maps = [#[[C]], #[[A]], #[[B]]] ins(%[[DY]], %[[X]] :
// CHECK: return %[[DW]]
// WORK: remark: 3 ops were differentiated
func.func @product(%x: tensor<5x3xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %loss, %dw = grad.call @exponentials(%x, %w : tensor<5x3xf32>, tensor<3x2xf32>) wrt [1] -> tensor<f32>, tensor<3x2xf32>
  return %dw : tensor<3x2xf32>
}
func.func private @exponentials(%x: tensor<5x3xf32>, %w: tensor<3x2xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x2xf32>) -> tensor<5x2xf32>
  %y = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<5x3xf32>, tensor<3x2xf32>)
      outs(%zeros : tensor<5x2xf32>) -> tensor<5x2xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<5x2xf32>) outs(%empty : tensor<5x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<5x2xf32>
  %one = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]}
      ins(%e : tensor<5x2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// One tensor as two arguments: the gradient is by the first one alone. Linear ops need nothing of the forward pass: the
// cotangent of b, repeated along rows, is a sum of rows, with the seed as it is.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %{{.*}}: tensor<4x2xf32>, %[[B:.*]]: tensor<2xf32>, %[[SEED:.*]]: tensor<4x2xf32>
// CHECK: %[[DB:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[SEED]] :
// CHECK: return %[[DB]]
func.func @argument(%x: tensor<4x2xf32>, %b: tensor<2xf32>, %seed: tensor<4x2xf32>) -> tensor<2xf32> {
  %y, %db = grad.call @bias(%x, %b, %b : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) wrt [1]
      seed(%seed : tensor<4x2xf32>) -> tensor<4x2xf32>, tensor<2xf32>
  return %db : tensor<2xf32>
}
func.func private @bias(%x: tensor<4x2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<4x2xf32> {
  %empty = tensor.empty() : tensor<4x2xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %c : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<4x2xf32>) {
  ^bb0(%in: f32, %bias: f32, %factor: f32, %out: f32):
    %s = arith.mulf %in, %factor : f32
    %r = arith.addf %s, %bias : f32
    linalg.yield %r : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Parts that are apart are put in their places, each added to that part of `into`, and not to all of it.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %{{.*}}: tensor<6xf32>, %[[D:.*]]: tensor<6xf32>, %[[SEED:.*]]: tensor<2xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[D]][4] [2] [1]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PART]], %{{.*}} :
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[SUM]] into %[[D]][4] [2] [1]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[D]][0] [2] [1]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PART]], %{{.*}} :
// CHECK: %[[TWO:.*]] = tensor.insert_slice %[[SUM]] into %[[ONE]][0] [2] [1]
// CHECK: return %[[TWO]]
func.func @parts(%x: tensor<6xf32>, %d: tensor<6xf32>, %seed: tensor<2xf32>) -> tensor<6xf32> {
  %y, %dx = grad.call @ends(%x : tensor<6xf32>) wrt [0] seed(%seed : tensor<2xf32>) into(%d : tensor<6xf32>)
      -> tensor<2xf32>, tensor<6xf32>
  return %dx : tensor<6xf32>
}
func.func private @ends(%x: tensor<6xf32>) -> tensor<2xf32> {
  %a = tensor.extract_slice %x[0] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %b = tensor.extract_slice %x[4] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a, %b : tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %r = arith.mulf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A loop of layers: it keeps its x of each iteration and the product in stacks; tanh is computed again. The adjoint runs
// from the last iteration to the first. The gradient of a layer's weights goes to its place, and is added to nothing.
// CHECK-LABEL: func.func @layers(
// CHECK: %[[KEPT:.*]]:3 = scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[XS:.*]] = %{{.*}}, %[[PS:.*]] = %{{.*}}) -> (tensor<4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>)
// CHECK: linalg.contract
// CHECK: math.tanh
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} iter_args(%[[DS:.*]] = %{{.*}}, %[[DW:.*]] = %{{.*}}) -> (tensor<4x4xf32>, tensor<3x4x4xf32>)
// CHECK: tensor.extract_slice %[[KEPT]]#
// CHECK: math.tanh
// CHECK: linalg.contract
// CHECK: linalg.contract
// CHECK: tensor.insert_slice %{{.*}} into %[[DW]][
// CHECK-NEXT: scf.yield
func.func @layers(%x: tensor<4x4xf32>, %w: tensor<3x4x4xf32>, %seed: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<3x4x4xf32>) {
  %y, %dx, %dw = grad.call @deep(%x, %w : tensor<4x4xf32>, tensor<3x4x4xf32>) wrt [0, 1]
      seed(%seed : tensor<4x4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x4x4xf32>
  return %dx, %dw : tensor<4x4xf32>, tensor<3x4x4xf32>
}
func.func private @deep(%x: tensor<4x4xf32>, %w: tensor<3x4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> tensor<4x4xf32> {
    %wi = tensor.extract_slice %w[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<3x4x4xf32> to tensor<4x4xf32>
    %p = linalg.contract indexing_maps = [#a, #b, #c] ins(%s, %wi : tensor<4x4xf32>, tensor<4x4xf32>)
        outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
    %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = math.tanh %in : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    scf.yield %t : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// Scores, 64 times 64 of vectors of 4 each, are larger than what they are made of: the loop keeps x, and the product with
// the values, and the adjoint computes the scores again.
// CHECK-LABEL: func.func @scores(
// CHECK: scf.for %{{.*}} -> (tensor<2x64x4xf32>, tensor<3x2x64x4xf32>) {
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: linalg.contract {{.*}} -> tensor<2x64x64xf32>
func.func @scores(%x: tensor<2x64x4xf32>, %seed: tensor<2x64x4xf32>) -> tensor<2x64x4xf32> {
  %y, %dx = grad.call @attends(%x : tensor<2x64x4xf32>) wrt [0] seed(%seed : tensor<2x64x4xf32>)
      -> tensor<2x64x4xf32>, tensor<2x64x4xf32>
  return %dx : tensor<2x64x4xf32>
}
func.func private @attends(%x: tensor<2x64x4xf32>) -> tensor<2x64x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %own = tensor.empty() : tensor<2x64x4xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%own : tensor<2x64x4xf32>) -> tensor<2x64x4xf32>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> tensor<2x64x4xf32> {
    %p = linalg.contract indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>,
        affine_map<(h, q, k, d) -> (h, q, k)>] ins(%s, %s : tensor<2x64x4xf32>, tensor<2x64x4xf32>)
        outs(%zeros : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>],
        iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x64x64xf32>)
        outs(%empty : tensor<2x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = math.exp %in : f32
      linalg.yield %r : f32
    } -> tensor<2x64x64xf32>
    %o = linalg.contract indexing_maps = [affine_map<(h, q, k, d) -> (h, q, k)>, affine_map<(h, q, k, d) -> (h, k, d)>,
        affine_map<(h, q, k, d) -> (h, q, d)>] ins(%e, %s : tensor<2x64x64xf32>, tensor<2x64x4xf32>)
        outs(%sums : tensor<2x64x4xf32>) -> tensor<2x64x4xf32>
    scf.yield %o : tensor<2x64x4xf32>
  }
  return %y : tensor<2x64x4xf32>
}

// What is stopped has no gradient, and a module without gradients keeps only the value.
// CHECK-LABEL: func.func @stopped(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK-NEXT: return %[[X]]
func.func @stopped(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = grad.stop %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// RUN: lispier-opt %s -lispier-fuse-elementwise -canonicalize -split-input-file | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// A chain is one op, and so is a cheap op with two uses with each of them: nothing between is a tensor.
// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// x - m is cheaper to compute than to read: the sum of squares and the result compute it each.
// CHECK-LABEL: func.func @cheap_twice(
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: arith.subf
// CHECK: arith.divf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @cheap_twice(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %zero: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.subf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.mulf %i, %i : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32 } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.divf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  return %y, %s : tensor<4x8xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// An exponential with two uses is computed once; that of a row, once a row and not for each element of it.
// CHECK-LABEL: func.func @dear_twice(
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @dear_twice(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %zero: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %1 = arith.addf %o, %i : f32
    linalg.yield %1 : f32 } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%m : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.divf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  return %y, %s : tensor<4x8xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// What follows a product is left to the product's kernel, and not computed again by the sum.
// CHECK-LABEL: func.func @after_product(
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @after_product(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>, %init: tensor<4x8xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.mulf %i, %two : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %1 = arith.addf %o, %i : f32
    linalg.yield %1 : f32 } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// What reads a tensor stays before the op that overwrites it: fused into %sum, %doubled would read %x behind.
// CHECK-LABEL: func.func @overwritten(
// CHECK: linalg.generic
// CHECK: tensor.insert_slice
// CHECK: linalg.generic
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

// -----

#id = affine_map<(r, c) -> (r, c)>

// A function that two ops need is computed in each if both read what it is made of anyway: neither tanh x nor what it
// is made of is stored. Where an op would read x only for that, tanh x is.
// CHECK-LABEL: func.func @again(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>)
// CHECK-COUNT-2: linalg.generic {{.*}} ins({{.*}}%[[X]]{{.*}} : tensor<4x8xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @again(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.tanh %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %t, %y : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %0, %k : f32
    linalg.yield %1 : f32 } -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
// CHECK-LABEL: func.func @stored(
// CHECK-COUNT-3: linalg.generic
// CHECK: return
func.func @stored(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.tanh %i : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#cube = affine_map<(r, p, c) -> (r, p, c)>

// What is widened and rounded again is the number itself.
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>)
// CHECK-NOT: arith.truncf
// CHECK: return %{{.*}}, %[[X]]
func.func @rounded(%x: tensor<4x8xbf16>) -> (tensor<4x8xf32>, tensor<4x8xbf16>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %n = tensor.empty() : tensor<4x8xbf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    linalg.yield %0 : f32 } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x8xf32>) outs(%n : tensor<4x8xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %0 = arith.truncf %i : f32 to bf16
    linalg.yield %0 : bf16 } -> tensor<4x8xbf16>
  return %w, %r : tensor<4x8xf32>, tensor<4x8xbf16>
}

// It may be reshaped in between.
// CHECK-LABEL: func.func @rounded_behind_reshape(
// CHECK-SAME: %[[X:.*]]: tensor<4x2x8xbf16>)
// CHECK: %[[R:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2]] : tensor<4x2x8xbf16> into tensor<4x16xbf16>
// CHECK: return %[[R]]
func.func @rounded_behind_reshape(%x: tensor<4x2x8xbf16>) -> tensor<4x16xbf16> {
  %e = tensor.empty() : tensor<4x2x8xf32>
  %n = tensor.empty() : tensor<4x16xbf16>
  %w = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x2x8xbf16>) outs(%e : tensor<4x2x8xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    linalg.yield %0 : f32 } -> tensor<4x2x8xf32>
  %c = tensor.collapse_shape %w [[0], [1, 2]] : tensor<4x2x8xf32> into tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x16xf32>) outs(%n : tensor<4x16xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %0 = arith.truncf %i : f32 to bf16
    linalg.yield %0 : bf16 } -> tensor<4x16xbf16>
  return %r : tensor<4x16xbf16>
}

// RUN: lispier-opt %s -split-input-file -verify-diagnostics

func.func @mixed(%x: memref<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has tensors or memrefs as operands, not both}}
  %y = group.kernel "k" kind(other) ins(%x : memref<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    group.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @input(%x: vector<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has an input of type 'vector<4xf32>'; inputs are tensors, memrefs, indices and numbers}}
  %y = group.kernel "k" kind(other) ins(%x : vector<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: vector<4xf32>, %o: tensor<4xf32>):
    group.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @count(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has 2 operands and a body with 1 arguments}}
  %y = group.kernel "k" kind(other) ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    group.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @type(%init: memref<4xf32>) {
  // expected-error @below {{has operand 0 of type 'memref<4xf32>', so that argument 0 of its body is a 'tensor<4xf32>', not 'memref<4xf32>'}}
  group.kernel "k" kind(other) outs(%init : memref<4xf32>) {
  ^bb0(%o: memref<4xf32>):
    %t = bufferization.to_tensor %o : memref<4xf32> to tensor<4xf32>
    group.yield %t : tensor<4xf32>
  }
  return
}

// -----

func.func @yield(%x: tensor<8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %y = group.kernel "k" kind(other) ins(%x : tensor<8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<4xf32>):
    // expected-error @below {{has values of types 'tensor<8xf32>', expected 'tensor<4xf32>'}}
    group.yield %a : tensor<8xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @effect()
func.func @effects(%init: tensor<4xf32>) -> tensor<4xf32> {
  %y = group.kernel "k" kind(other) outs(%init : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{has side effects; the body of a kernel computes with values}}
    func.call @effect() : () -> ()
    group.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @isolated(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{required by region isolation constraints}}
  %y = group.kernel "k" kind(other) outs(%init : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    group.yield %x : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{group.intermediate is a unit attribute, on an op whose result is a memref}}
func.func private @f() attributes {group.intermediate}

// -----

// expected-error @below {{group.owned_results is an array of booleans, on a function}}
func.func private @f() attributes {group.owned_results}

// -----

// expected-error @below {{group.inout is a unit attribute of a function's argument, a tensor or its memory}}
func.func private @f(i32 {group.inout})

// -----

// expected-error @below {{the group dialect has no attribute `group.other`}}
func.func private @f() attributes {group.other}

// -----

// expected-error @below {{group.out is a unit attribute of a function's argument, a tensor or its memory}}
func.func private @f(i32 {group.out})

// -----

#q = affine_map<(h, t, p, c, n) -> (h, t, c)>
#k = affine_map<(h, t, p, c, n) -> (h, p, c)>
#v = affine_map<(h, t, p, c, n) -> (h, p, n)>
#o = affine_map<(h, t, p, c, n) -> (h, t, n)>

func.func @results(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>) {
  // expected-error @below {{has 0 results, expected o, or o and lse}}
  "group.attention"(%q, %k, %v) <{indexing_maps = [#q, #k, #v], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> ({
  ^bb0(%h: index, %t: index, %p: index, %s: f32):
    group.score %s : f32
  }) : (tensor<2x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) -> ()
  return
}

// -----

#q = affine_map<(h, t, p, c, n) -> (h, t, c)>
#k = affine_map<(h, t, p, c, n) -> (h, p, c)>
#v = affine_map<(h, t, p, c, n) -> (h, p, n)>

func.func @maps(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>, %o: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @below {{has 3 maps for 4 operands}}
  %r = group.attention {indexing_maps = [#q, #k, #v]} ins(%q, %k, %v : tensor<2x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) outs(%o : tensor<2x5x4xf32>) {
  ^bb0(%h: index, %t: index, %p: index, %s: f32):
    group.score %s : f32
  } -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// -----

#q = affine_map<(h, t, p, c, n) -> (h, t, c)>
#k = affine_map<(h, t, p, c, n) -> (h, t, c)>
#v = affine_map<(h, t, p, c, n) -> (h, p, n)>
#o = affine_map<(h, t, p, c, n) -> (h, t, n)>

func.func @keys(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>, %o: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @below {{has operand 1 along loop 1; loops are 1 outer ones, tokens, positions, head size and value size}}
  %r = group.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) outs(%o : tensor<2x5x4xf32>) {
  ^bb0(%h: index, %t: index, %p: index, %s: f32):
    group.score %s : f32
  } -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// -----

#q = affine_map<(h, t, p, c, n) -> (h, t, c)>
#k = affine_map<(h, t, p, c, n) -> (h, p, c)>
#v = affine_map<(h, t, p, c, n) -> (h, p, n)>
#o = affine_map<(h, t, p, c, n) -> (h, t, n)>

func.func @sizes(%q: tensor<2x5x8xf32>, %k: tensor<2x7x9xf32>, %v: tensor<2x7x4xf32>, %o: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @below {{has loop 3 of size 8, but operand 1 has 9 there}}
  %r = group.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x5x8xf32>, tensor<2x7x9xf32>, tensor<2x7x4xf32>) outs(%o : tensor<2x5x4xf32>) {
  ^bb0(%h: index, %t: index, %p: index, %s: f32):
    group.score %s : f32
  } -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// -----

#q = affine_map<(h, t, p, c, n) -> (h, t, c)>
#k = affine_map<(h, t, p, c, n) -> (h, p, c)>
#v = affine_map<(h, t, p, c, n) -> (h, p, n)>
#o = affine_map<(h, t, p, c, n) -> (h, t, n)>

func.func @region(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>, %o: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @below {{has a region with arguments of types 'index', 'index', 'f32', expected 3 indices, a float, and an element of each operand of the scores}}
  %r = group.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) outs(%o : tensor<2x5x4xf32>) {
  ^bb0(%t: index, %p: index, %s: f32):
    group.score %s : f32
  } -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// -----

func.func @two_ways(%x: tensor<4xf32>, %start: f32) -> tensor<4xf32> {
  // expected-error@+1 {{combines by a kind, or by a step}}
  %y = group.scan %x along 0 from %start outs(%x : tensor<4xf32>) : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @step_type(%x: tensor<4xf32>, %start: f32) -> tensor<4xf32> {
  // expected-error@+1 {{has a step that makes a number of another type than 'f32', of two}}
  %y = group.scan %x along 0 from %start outs(%x : tensor<4xf32>) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%sofar: f32, %next: f64):
    group.next %sofar : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @step_that_fails(%x: tensor<4xi32>, %start: i32) -> tensor<4xi32> {
  // expected-error@+1 {{has a step with `arith.divsi`, which is not elementwise}}
  %y = group.scan %x along 0 from %start outs(%x : tensor<4xi32>) : tensor<4xi32> -> tensor<4xi32> {
  ^bb0(%sofar: i32, %next: i32):
    %quotient = arith.divsi %sofar, %next : i32
    group.next %quotient : i32
  }
  return %y : tensor<4xi32>
}

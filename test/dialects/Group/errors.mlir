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

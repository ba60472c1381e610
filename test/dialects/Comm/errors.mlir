// RUN: lispier-opt %s -split-input-file -verify-diagnostics

func.func @kinds(%x: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{takes tensors or memrefs, not both}}
  comm.all_reduce add %x into %m over ["tp"] : tensor<4xf32> into memref<4xf32>
  return
}

// -----

func.func @numbers(%m: memref<4xf32>, %n: memref<4xf64>) {
  // expected-error@+1 {{has other numbers or another rank than its operand: 'memref<4xf64>' of 'memref<4xf32>'}}
  comm.all_reduce add %m into %n over ["tp"] : memref<4xf32> into memref<4xf64>
  return
}

// -----

func.func @element(%m: memref<4xi16>) {
  // expected-error@+1 {{exchanges f64, f32, f16, bf16, index, i64, i32, i8 and i1, not 'i16'}}
  comm.all_reduce add %m into %m over ["tp"] : memref<4xi16> into memref<4xi16>
  return
}

// -----

func.func @mean(%m: memref<4xi32>) {
  // expected-error@+1 {{takes the mean of floats only}}
  comm.all_reduce mean %m into %m over ["tp"] : memref<4xi32> into memref<4xi32>
  return
}

// -----

func.func @dimension(%m: memref<4xf32>, %n: memref<8xf32>) {
  // expected-error@+1 {{has no dimension 1: 'memref<4xf32>'}}
  comm.all_gather %m into %n over ["tp"] dimension 1 : memref<4xf32> into memref<8xf32>
  return
}

// -----

func.func @sizes(%m: memref<4x2xf32>, %n: memref<8x3xf32>) {
  // expected-error@+1 {{has the sizes 2 and 3 of dimension 1}}
  comm.all_gather %m into %n over ["tp"] dimension 0 : memref<4x2xf32> into memref<8x3xf32>
  return
}

// -----

func.func @axes(%m: memref<4xf32>) {
  // expected-error@+1 {{goes over at least one axis}}
  comm.all_reduce add %m into %m over [] : memref<4xf32> into memref<4xf32>
  return
}

// -----

// expected-error@+1 {{comm.mesh is a text such as "dp,tp=2", on a module}}
module attributes {comm.mesh = "dp,dp"} {}

// -----

// expected-error@+1 {{"comm.lost" is no attribute of the dialect}}
module attributes {comm.lost} {}

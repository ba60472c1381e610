// RUN: lispier-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{tile.program is a #tile.program, on a kernel}}
func.func private @f() attributes {tile.program = #tile.program<>}

// -----

// expected-error @below {{the tile dialect has no attribute `tile.programs`}}
func.func private @f() attributes {tile.programs}

// -----

// expected-error @below {{a block has 1, 2, 4, 8, 16 or 32 warps, not 3}}
func.func private @f() attributes {a = #tile.program<warps = 3>}

// -----

// expected-error @below {{a loop has at least one stage, not 0}}
func.func private @f() attributes {a = #tile.program<stages = 0>}

// -----

func.func @f(%m: memref<?x?xf32>, %i: vector<4xindex>, %zero: f32) {
  // expected-error @below {{has 1 index tiles for a memref of rank 2}}
  %a = tile.gather %m[%i], %zero : memref<?x?xf32>, vector<4xindex> -> vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: vector<4xindex>, %v: vector<8xf32>) {
  // expected-error @below {{has an index tile of type 'vector<4xindex>' for a tile of type 'vector<8xf32>'}}
  tile.scatter %v, %m[%i] : vector<8xf32>, memref<?xf32>, vector<4xindex>
  return
}

// -----

func.func @f(%m: memref<?xf16>, %i: vector<4xindex>, %v: vector<4xf32>) {
  // expected-error @below {{accesses elements of 'f16', but the tile has elements of 'f32'}}
  tile.atomic_add %v, %m[%i] : vector<4xf32>, memref<?xf16>, vector<4xindex>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: vector<4xindex>, %zero: f32, %mask: vector<8xi1>) {
  // expected-error @below {{has a mask of type 'vector<8xi1>' for a tile of type 'vector<4xf32>'}}
  %a = tile.gather %m[%i], %zero, %mask : memref<?xf32>, vector<4xindex>, vector<8xi1> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4x96xf32>) {
  // expected-error @below {{has a layout that has elements of dimension 0 in no register of any thread}}
  %a = tile.convert %v : vector<4x96xf32> to #tile.layout<registers = [], lanes = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warps = [], repeats = [1, 3]>
  return
}

// -----

func.func @f(%v: vector<4x96xf32>) {
  // expected-error @below {{a basis has one coordinate for each of 2 dimensions}}
  %a = tile.convert %v : vector<4x96xf32> to #tile.layout<registers = [[1]], lanes = [], warps = [], repeats = [1, 3]>
  return
}

// -----

func.func @f(%v: vector<32xf32>) {
  // expected-error @below {{has a layout that has a basis of coordinate 32 in dimension 0, whose unit has 32 elements}}
  %a = arith.addf %v, %v {tile.layout = #tile.layout<registers = [[1], [2], [4], [8], [16], [32]], lanes = [], warps = [], repeats = [1]>} : vector<32xf32>
  return
}

// -----

func.func @f(%v: f32) {
  // expected-error @below {{tile.layout is a #tile.layout, on an op with one result, a tile}}
  %a = arith.addf %v, %v {tile.layout = unit} : f32
  return
}

// -----

func.func @f(%v: vector<32xf32>) {
  // expected-error @below {{tile.layout is an array for an op with regions or several results, of layouts and `unit`}}
  %a = arith.addf %v, %v {tile.layout = [unit]} : vector<32xf32>
  return
}

// -----

func.func @f(%v: vector<32xf32>) {
  // expected-error @below {{tile.vector is a power of two, on a transfer}}
  %a = arith.addf %v, %v {tile.vector = 4 : i64} : vector<32xf32>
  return
}

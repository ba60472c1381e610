// A cast of an index to an integer and back is no identity where the integer loses bits; where it does not, it is.
// RUN: lispier-opt --lispier-narrow-indices --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @back
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[BYTE:.*]] = arith.trunci %[[WIDE]] : i64 to i8
// CHECK: arith.index_cast %[[BYTE]] : i8 to index
func.func @back(%n: index) -> index {
  %0 = arith.index_cast %n : index to i8
  %1 = arith.index_cast %0 : i8 to index
  return %1 : index
}

// -----

// CHECK-LABEL: func @unsigned_vectors
// CHECK: arith.trunci %{{.*}} : vector<4xi64> to vector<4xi16>
// CHECK: arith.index_castui %{{.*}} : vector<4xi16> to vector<4xindex>
func.func @unsigned_vectors(%n: vector<4xindex>) -> vector<4xindex> {
  %0 = arith.index_castui %n : vector<4xindex> to vector<4xi16>
  %1 = arith.index_castui %0 : vector<4xi16> to vector<4xindex>
  return %1 : vector<4xindex>
}

// -----

// What an index holds all bits of needs no truncation.
// CHECK-LABEL: func @there
// CHECK-NEXT: return %arg0
func.func @there(%n: i32) -> i32 {
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.index_cast %0 : index to i32
  return %1 : i32
}

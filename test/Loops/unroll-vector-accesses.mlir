// RUN: lispier-opt %s -lispier-unroll-vector-accesses | FileCheck %s

// Rows are as far apart as those of the memref; the leading dimension stays where it is.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[M:.*]]: memref<4x8x8xf32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index
// CHECK: %[[ROW0:.*]] = vector.load %[[M]][%[[I]], %[[J]], %[[K]]] : memref<4x8x8xf32>, vector<5xf32>
// CHECK: %[[V0:.*]] = vector.insert %[[ROW0]], %{{.*}} [0] : vector<5xf32> into vector<2x5xf32>
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %[[ONE]] : index
// CHECK: %[[ROW1:.*]] = vector.load %[[M]][%[[I]], %[[NEXT]], %[[K]]] : memref<4x8x8xf32>, vector<5xf32>
// CHECK: %[[V1:.*]] = vector.insert %[[ROW1]], %[[V0]] [1] : vector<5xf32> into vector<2x5xf32>
// CHECK: %[[OUT0:.*]] = vector.extract %[[V1]][0] : vector<5xf32> from vector<2x5xf32>
// CHECK: vector.store %[[OUT0]], %[[M]][%[[J]], %[[J]], %[[K]]] : memref<4x8x8xf32>, vector<5xf32>
// CHECK: vector.store %{{.*}}, %[[M]][%[[J]], %{{.*}}, %[[K]]] : memref<4x8x8xf32>, vector<5xf32>
// CHECK-NOT: vector.{{load|store}}
func.func @rows(%m: memref<4x8x8xf32>, %i: index, %j: index, %k: index) {
  %v = vector.load %m[%i, %j, %k] : memref<4x8x8xf32>, vector<2x5xf32>
  vector.store %v, %m[%j, %j, %k] : memref<4x8x8xf32>, vector<2x5xf32>
  return
}

// One row stays.
// CHECK-LABEL: func @row(
// CHECK: vector.load %{{.*}} : memref<8xf32>, vector<8xf32>
func.func @row(%n: memref<8xf32>, %i: index) -> vector<8xf32> {
  %w = vector.load %n[%i] : memref<8xf32>, vector<8xf32>
  return %w : vector<8xf32>
}

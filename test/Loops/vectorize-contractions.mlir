// RUN: lispier-opt %s -lispier-vectorize-contractions | FileCheck %s
// RUN: lispier-opt %s -lispier-vectorize-contractions=vector-bytes=32 | FileCheck %s --check-prefix=NARROW

// Tiles of 8 rows by two vectors of columns, sums in registers along k.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.parallel {{.*}} step (%c32{{.*}}, %c8
// CHECK: %[[SUMS:.*]]:8 = scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>)
// CHECK: vector.store %[[SUMS]]#7
// What does not fill a tile: a row of vectors, then numbers.
// CHECK: scf.for {{.*}} -> (vector<32xf32>) {
// CHECK: scf.for {{.*}} -> (f32) {
// CHECK-NOT: linalg
// NARROW-LABEL: func.func @matmul
// NARROW: scf.parallel {{.*}} step (%c16{{.*}}, %c4
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// BF16 operands are widened as they are read.
// CHECK-LABEL: func.func @batch_bf16
// CHECK: scf.parallel (%{{.*}}, %{{.*}}, %{{.*}}) =
// CHECK: vector.load {{.*}} vector<32xbf16>
// CHECK: arith.extf {{.*}} vector<32xbf16> to vector<32xf32>
func.func @batch_bf16(%a: memref<4x?x?xbf16>, %b: memref<4x?x?xbf16>, %c: memref<4x?x?xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<4x?x?xbf16>, memref<4x?x?xbf16>) outs(%c : memref<4x?x?xf32>)
  return
}

// The right side is not contiguous along the columns: left to loops.
// CHECK-LABEL: func.func @transposed
// CHECK: linalg
func.func @transposed(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[1, ?]>>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32, strided<[1, ?]>>) outs(%c : memref<?x?xf32>)
  return
}

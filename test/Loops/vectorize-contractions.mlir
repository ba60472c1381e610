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

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#left_transposed = affine_map<(m, n, k) -> (k, m)>
#right_transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// Both sides are contiguous along k: 4 by 4 numbers, each the sum of a vector of partial sums and of what fills no vector.
// CHECK-LABEL: func.func @right_transposed
// CHECK: scf.parallel {{.*}} step (%c4{{.*}}, %c4
// CHECK: %[[PARTIAL:.*]]:16 = scf.for {{.*}} step %c16
// CHECK-COUNT-16: arith.addf {{.*}} vector<16xf32>
// CHECK: %[[FIRST:.*]] = vector.reduction <add>, %[[PARTIAL]]#0, %{{.*}} fastmath<reassoc>
// CHECK: %[[SUMS:.*]]:16 = scf.for {{.*}} step %c1{{.*}} iter_args(%{{.*}} = %[[FIRST]]
// CHECK: memref.store %[[SUMS]]#15
// CHECK-NOT: linalg
// NARROW-LABEL: func.func @right_transposed
// NARROW: scf.parallel {{.*}} step (%c4{{.*}}, %c2
// NARROW: scf.for {{.*}} step %c8
func.func @right_transposed(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul indexing_maps = [#left, #right_transposed, #result] ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// The left side is read a number at a time, so that its order does not matter; static sizes are no other case.
// CHECK-LABEL: func.func @left_transposed
// CHECK: scf.parallel
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}] : memref<20x16xf32>
// CHECK-NOT: linalg
func.func @left_transposed(%a: memref<20x16xf32>, %b: memref<20x64xf32>, %c: memref<16x64xf32>) {
  linalg.matmul indexing_maps = [#left_transposed, #right, #result] ins(%a, %b : memref<20x16xf32>, memref<20x64xf32>) outs(%c : memref<16x64xf32>)
  return
}

// A column: 8 rows at once. A row: two vectors of columns. The transposed matrix times a vector is a row again.
// CHECK-LABEL: func.func @vectors
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: linalg
func.func @vectors(%a: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.matvec ins(%a, %x : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.vecmat ins(%x, %a : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The right side is contiguous along neither: left to loops.
// CHECK-LABEL: func.func @strided
// CHECK: linalg
func.func @strided(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[1, ?]>>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32, strided<[1, ?]>>) outs(%c : memref<?x?xf32>)
  return
}

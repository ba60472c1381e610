// RUN: lispier-opt %s -lispier-pack-contractions -cse | FileCheck %s
// RUN: lispier-opt %s -lispier-pack-contractions=pairs -cse | FileCheck %s --check-prefix=PAIRS
// RUN: lispier-opt %s -lispier-pack-contractions=vector-bytes=32 -cse | FileCheck %s --check-prefix=NARROW

// The program decides by the sizes; the op remains for small ones.
// CHECK-LABEL: func.func @matmul
// A few rows: eight rows of the right factor are loaded, and multiplied for each row of the left one.
// CHECK: scf.if
// CHECK: %[[COLUMNS:.*]] = arith.select %{{.*}}, %c1024, %c256 : index
// CHECK: scf.parallel {{.*}} step (%[[COLUMNS]])
// CHECK: scf.for {{.*}} step %c8
// CHECK-COUNT-8: vector.maskedload
// CHECK-COUNT-8: memref.prefetch
// CHECK: scf.for
// CHECK: vector.maskedload
// CHECK-COUNT-8: vector.fma
// CHECK: else
// CHECK: scf.if
// CHECK: scf.parallel
// CHECK: %[[LEFT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<240x224xf32>
// CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<192x32xf32>
// CHECK: vector.store {{.*}}, %[[LEFT]]
// CHECK: vector.store {{.*}}, %[[PANEL]]
// A tile one vector wide for the last columns, and one two wide; 8 rows each.
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-8: arith.mulf {{.*}} fastmath<contract>
// CHECK: scf.for
// CHECK-COUNT-16: arith.mulf {{.*}} fastmath<contract>
// CHECK: else
// CHECK: linalg.matmul
// NARROW-LABEL: func.func @matmul
// NARROW: memref.alloca() {alignment = 64 : i64} : memref<192x16xf32>
// NARROW: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// BF16 in pairs along k: of the right side rows are interleaved, or, where it is contiguous along k, pairs transposed.
// PAIRS-LABEL: func.func @bf16
// PAIRS-NOT: scf.if
// PAIRS: memref.alloca() {alignment = 64 : i64} : memref<64x64xbf16>
// PAIRS: vector.interleave
// PAIRS: vector.bitcast {{.*}} : vector<2xbf16> to vector<1xi32>
// PAIRS: x86vector.avx512.dot
// PAIRS-NOT: linalg
// Without the instruction they are widened, and so few are not copied.
// CHECK-LABEL: func.func @bf16
// CHECK: linalg.matmul
func.func @bf16(%a: memref<64x100xbf16>, %b: memref<100x96xbf16>, %c: memref<64x96xf32>) {
  linalg.matmul ins(%a, %b : memref<64x100xbf16>, memref<100x96xbf16>) outs(%c : memref<64x96xf32>)
  return
}

// PAIRS-LABEL: func.func @right_transposed
// PAIRS: vector.bitcast {{.*}} : vector<32xbf16> to vector<16xi32>
// PAIRS-COUNT-64: vector.shuffle
// PAIRS: x86vector.avx512.dot
func.func @right_transposed(%a: memref<64x100xbf16>, %b: memref<96x100xbf16>, %c: memref<64x96xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<64x100xbf16>, memref<96x100xbf16>) outs(%c : memref<64x96xf32>)
  return
}

// Rows of the right factor along k, as of keys: a copy transposes them, else each result would be a sum of lanes. For few
// columns, or rows along n, nothing is copied.
// CHECK-LABEL: func.func @keys
// CHECK: scf.parallel
// CHECK: memref.alloca() {alignment = 64 : i64}
// CHECK: vector.shuffle
// CHECK: linalg.matmul {{.*}} outs(%arg4
// CHECK: linalg.matmul {{.*}} outs(%arg2
// CHECK-NOT: linalg
func.func @keys(%q: memref<128x64xf32>, %k: memref<128x64xf32>, %s: memref<128x128xf32>, %few: memref<63x64xf32>,
                %t: memref<128x63xf32>, %v: memref<64x128xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : memref<128x64xf32>, memref<128x64xf32>) outs(%s : memref<128x128xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %few : memref<128x64xf32>, memref<63x64xf32>) outs(%t : memref<128x63xf32>)
  linalg.matmul ins(%q, %v : memref<128x64xf32>, memref<64x128xf32>) outs(%s : memref<128x128xf32>)
  return
}

// Windows along the result's rows: a panel of all places that are summed, in vectors, or number by number where they are
// strided; the weights are rows of all of them. Few results, or rows, are left to loops.
// NARROW-LABEL: func.func @windows
// NARROW: %[[W:.*]] = memref.collapse_shape %arg1 {{.*}} into memref<48x48xf32>
// NARROW: scf.parallel
// NARROW: memref.prefetch %arg0
// NARROW-COUNT-2: vector.load %arg0
// NARROW-COUNT-12: arith.mulf {{.*}} : vector<8xf32>
// NARROW: scf.parallel
// NARROW-COUNT-8: memref.load %arg3
// NARROW-NEXT: vector.from_elements
// NARROW-COUNT-12: arith.mulf {{.*}} : vector<8xf32>
// NARROW-NOT: scf.parallel
// NARROW: linalg.generic {{.*}} outs(%arg6
// CHECK-LABEL: func.func @windows
#window = affine_map<(o, p, c, i) -> (c, p + i)>
#apart = affine_map<(o, p, c, i) -> (c, 3 * p + 4 * i)>
#weights = affine_map<(o, p, c, i) -> (o, c, i)>
#result = affine_map<(o, p, c, i) -> (o, p)>
func.func @windows(%x: memref<16x130xf32>, %w: memref<48x16x3xf32>, %y: memref<48x128xf32>, %strided: memref<16x400xf32>,
                   %few: memref<16x32xf32>, %z: memref<48x128xf32>, %short: memref<48x20xf32>) {
  linalg.generic {indexing_maps = [#window, #weights, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<16x130xf32>, memref<48x16x3xf32>) outs(%y : memref<48x128xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#apart, #weights, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%strided, %w : memref<16x400xf32>, memref<48x16x3xf32>) outs(%z : memref<48x128xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#window, #weights, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%few, %w : memref<16x32xf32>, memref<48x16x3xf32>) outs(%short : memref<48x20xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// Sizes that are known decide when compiling: the right factor is beyond the caches, or is not; its rows are strided.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: scf.if
// CHECK: scf.parallel
// CHECK: vector.fma
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: return
func.func @few_rows(%a: memref<5x2048xf32>, %b: memref<2048x2048xf32>, %c: memref<5x2048xf32>,
                    %s: memref<2048x256xf32>, %t: memref<5x256xf32>) {
  linalg.matmul ins(%a, %b : memref<5x2048xf32>, memref<2048x2048xf32>) outs(%c : memref<5x2048xf32>)
  linalg.matmul ins(%a, %s : memref<5x2048xf32>, memref<2048x256xf32>) outs(%t : memref<5x256xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<5x2048xf32>, memref<2048x2048xf32>) outs(%c : memref<5x2048xf32>)
  return
}

// Not floats; rows that are not contiguous; a vector.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf
// CHECK-COUNT-3: linalg
func.func @others(%a: memref<?x?xi32>, %s: memref<?x?xf32, strided<[?, ?]>>, %b: memref<?x?xf32>, %x: memref<?xf32>) {
  linalg.matmul ins(%a, %a : memref<?x?xi32>, memref<?x?xi32>) outs(%a : memref<?x?xi32>)
  linalg.matmul ins(%s, %b : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>) outs(%b : memref<?x?xf32>)
  linalg.matvec ins(%b, %x : memref<?x?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// Inside a parallel loop an op belongs to one thread. That computes a product of known sizes in pairs by itself, with buffers as
// large as it needs; others stay.
// PAIRS-LABEL: func.func @inside
// PAIRS: scf.parallel
// PAIRS: memref.alloca() {alignment = 64 : i64} : memref<64x160xbf16>
// PAIRS-NOT: scf.parallel
// PAIRS: x86vector.avx512.dot
// PAIRS: linalg.matmul ins(%{{.*}} : memref<?x?xbf16>
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-2: linalg.matmul
func.func @inside(%a: memref<64x100xbf16>, %b: memref<100x96xbf16>, %c: memref<64x96xf32>, %n: index,
                  %d: memref<?x?xbf16>, %e: memref<?x?xbf16>, %f: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    linalg.matmul ins(%a, %b : memref<64x100xbf16>, memref<100x96xbf16>) outs(%c : memref<64x96xf32>)
    linalg.matmul ins(%d, %e : memref<?x?xbf16>, memref<?x?xbf16>) outs(%f : memref<?x?xf32>)
  }
  return
}

// RUN: lispier-opt %s -lispier-vectorize-linalg -cse | FileCheck %s
// RUN: lispier-opt %s -lispier-vectorize-linalg=vector-bytes=32 -cse | FileCheck %s --check-prefix=NARROW
// RUN: lispier-opt %s -lispier-vectorize-linalg=pairs=true -cse | FileCheck %s --check-prefix=PAIRS

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Dimensions that follow each other in memory are one: whole vectors, then a masked one.
// CHECK-LABEL: func.func @elementwise
// CHECK: memref.collapse_shape %arg0
// CHECK: scf.parallel {{.*}} step (%c1024)
// CHECK: scf.for {{.*}} step %c64
// CHECK-COUNT-4: vector.store {{.*}} vector<16xf32>
// CHECK: scf.for {{.*}} step %c16
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: linalg
func.func @elementwise(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.add ins(%x, %x : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// Between the rows lies something else. BF16 is widened, 16 at a time; a row's number is read once.
// CHECK-LABEL: func.func @broadcast
// CHECK: scf.parallel {{.*}} step (%c1, %c1024
// CHECK: %[[NUMBER:.*]] = memref.load %arg1
// CHECK: vector.load {{.*}} vector<16xbf16>
// CHECK: arith.extf
// CHECK: vector.broadcast %[[NUMBER]] : f32 to vector<16xf32>
// CHECK-NOT: linalg
func.func @broadcast(%x: memref<?x?xbf16, strided<[?, 1]>>, %r: memref<?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : memref<?x?xbf16, strided<[?, 1]>>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: bf16, %b: f32, %o: f32):
    %e = arith.extf %a : bf16 to f32
    %s = arith.addf %e, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Rows are read one by one, by vectors of 32 bytes: lanes and eight vectors of partial sums, added up in pairs.
// Prefetches are 256 bytes ahead, one for each cache line.
// CHECK-LABEL: func.func @sums_of_rows
// CHECK-NOT: scf.if
// CHECK: scf.parallel {{.*}} step (%c1)
// CHECK: scf.for %[[I:.*]] = {{.*}} step %c64
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %c64
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[AHEAD]]]
// CHECK-COUNT-2: arith.addf {{.*}} vector<8xf32>
// CHECK: memref.prefetch
// CHECK-COUNT-2: arith.addf {{.*}} vector<8xf32>
// CHECK: memref.prefetch
// CHECK-COUNT-2: arith.addf {{.*}} vector<8xf32>
// CHECK: memref.prefetch
// CHECK-COUNT-2: arith.addf {{.*}} vector<8xf32>
// CHECK-NOT: memref.prefetch
// CHECK: scf.yield
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK-COUNT-7: arith.addf {{.*}} vector<8xf32>
// CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
// CHECK-NOT: linalg
func.func @sums_of_rows(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
  return
}

// Vectors of columns, in registers while rows are walked.
// CHECK-LABEL: func.func @sums_of_columns
// CHECK: scf.parallel {{.*}} step (%c128)
// CHECK: scf.for {{.*}} step %c1 iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: linalg
func.func @sums_of_columns(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
  return
}

// A sum of everything: about 64 chunks, whatever the number of threads, of 16384 numbers or more.
// CHECK-LABEL: func.func @sum
// CHECK: %[[CHUNK:.*]] = arith.maxui %{{.*}}, %c16384
// CHECK: scf.parallel {{.*}} step (%[[CHUNK]]) init (%{{.*}}) -> f32
// CHECK-NOT: scf.if
// CHECK: scf.for %[[I:.*]] = %{{.*}} step %c64 iter_args(
// CHECK: vector.load %{{.*}}[%[[I]]]
// CHECK: scf.reduce(%{{.*}} : f32)
// CHECK-NOT: linalg
func.func @sum(%x: memref<?x?xf32>, %y: memref<f32>) {
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
}

// Blocks of 16 x 16, by 4 times 16 shuffles; partial blocks by masks. A task goes along 4 KB of 16 rows of x.
// CHECK-LABEL: func.func @transpose
// CHECK: scf.parallel {{.*}} step (%c1024{{.*}}, %c16{{.*}})
// CHECK: scf.for {{.*}} step %c16
// CHECK: scf.if
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK: else
// CHECK-COUNT-16: vector.maskedload
// CHECK-COUNT-16: vector.maskedstore
// CHECK-NOT: linalg
func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}

// One or two rows: by wide vectors, some rows of the right side ahead. Else tiles of 8 rows by two vectors, sums in
// registers along k; the last row of a partial tile is repeated.
// CHECK-LABEL: func.func @matmul
// CHECK: arith.cmpi ule, %{{.*}}, %c2
// CHECK: scf.if
// CHECK: scf.parallel {{.*}} step (%c1, %c128)
// CHECK: memref.prefetch
// CHECK: else
// CHECK: scf.parallel {{.*}} step (%c32, %c8)
// CHECK: arith.minui
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: vector.maskedload
// CHECK-NOT: linalg
// NARROW-LABEL: func.func @matmul
// NARROW: scf.parallel {{.*}} step (%c16, %c6)
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Both sides are contiguous along k: 4 by 4 numbers, each the sum of a vector of partial sums. A task reads its rows of b
// for 48 of a, and asks for those that come 8 later.
// CHECK-LABEL: func.func @right_transposed
// CHECK: scf.parallel (%[[N:.*]], %{{.*}}) = {{.*}} step (%c4{{.*}}, %c48)
// CHECK: scf.for {{.*}} step %c4
// CHECK-NOT: memref.prefetch %arg0
// CHECK: %[[LATER:.*]] = arith.addi %[[N]], %c8
// CHECK-COUNT-4: memref.prefetch %arg1[%[[LATER]], %{{.*}}]
// CHECK: vector.reduction <add>
// CHECK-NOT: linalg
// NARROW-LABEL: func.func @right_transposed
// NARROW: scf.parallel {{.*}} step (%c4{{.*}}, %c24)
func.func @right_transposed(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// BF16 is widened, or multiplied in pairs, of which those beyond the end are zeros.
// CHECK-LABEL: func.func @right_transposed_bf16
// CHECK-NOT: avx512.dot
// CHECK: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// PAIRS-LABEL: func.func @right_transposed_bf16
// PAIRS-NOT: arith.extf
// PAIRS: scf.for {{.*}} step %c32 iter_args{{.*}} -> (vector<16xf32>)
// PAIRS: x86vector.avx512.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<32xbf16> -> vector<16xf32>
// PAIRS: vector.maskedload %arg0{{.*}} vector<32xi1>, vector<32xbf16>
// PAIRS-NOT: arith.select
// PAIRS: return
func.func @right_transposed_bf16(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// Three reduced dimensions; whole tiles of 8 columns of the image by two vectors of channels.
// Strided along the vectors of results: what is read number by number serves twelve rows.
// CHECK-LABEL: func.func @strided_window
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-COUNT-16: memref.load
// CHECK: vector.from_elements
// CHECK-COUNT-12: vector.broadcast
// CHECK-NOT: vector.from_elements
// CHECK: vector.store
func.func @strided_window(%x: memref<32x3000xf32>, %w: memref<24x32x3xf32>, %y: memref<24x960xf32>) {
  linalg.generic {indexing_maps = [affine_map<(o, p, c, i) -> (c, 3 * p + 4 * i)>, affine_map<(o, p, c, i) -> (o, c, i)>,
                                   affine_map<(o, p, c, i) -> (o, p)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<32x3000xf32>, memref<24x32x3xf32>) outs(%y : memref<24x960xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @convolution
// CHECK: scf.parallel {{.*}} step (%c1, %c1, %c32, %c8)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-16: arith.mulf {{.*}} vector<16xf32>
// CHECK-NOT: vector.maskedload
// CHECK-NOT: linalg
func.func @convolution(%x: memref<1x58x58x64xf32>, %w: memref<3x3x64x64xf32>, %y: memref<1x56x56x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x58x58x64xf32>, memref<3x3x64x64xf32>) outs(%y : memref<1x56x56x64xf32>)
  return
}

// Inside a parallel loop an op belongs to one thread.
// CHECK-LABEL: func.func @inside
// CHECK: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: vector.store
func.func @inside(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    linalg.fill ins(%one : f32) outs(%x : memref<?xf32>)
  }
  return
}

// So does one in a function that runs on a thread. What fits the cache is not prefetched.
// CHECK-LABEL: func.func @on_thread
// CHECK-NOT: scf.parallel
// CHECK-NOT: memref.prefetch
// CHECK: vector.reduction <add>
func.func @on_thread(%x: memref<1024xf32>, %y: memref<f32>) attributes {device.parallel_body} {
  linalg.reduce {arith.addf} ins(%x : memref<1024xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// Complex numbers and i1 have no vectors in memory.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: linalg.generic
func.func @others(%x: memref<?xcomplex<f32>>, %y: memref<?xi1>) {
  linalg.copy ins(%x : memref<?xcomplex<f32>>) outs(%x : memref<?xcomplex<f32>>)
  linalg.copy ins(%y : memref<?xi1>) outs(%y : memref<?xi1>)
  return
}

// What lispier-fuse-rows asks for: the last input is prefetched, and the others are in the cache, so that vectors have
// 64 bytes.
// CHECK-LABEL: func.func @row
// CHECK: scf.for
// CHECK-NOT: prefetch %arg0
// CHECK: vector.load %arg0{{.*}} vector<16xf32>
// CHECK-COUNT-9: memref.prefetch %arg1{{.*}}, read, locality<2>
// CHECK-NOT: memref.prefetch
// CHECK: vector.maskedload %arg0
// CHECK-NOT: %arg1
// CHECK: return
func.func @row(%x: memref<?xf32>, %y: memref<?xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%s : memref<f32>) attrs = {device.cached, device.prefetch = 1 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }
  return
}

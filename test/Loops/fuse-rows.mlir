// RUN: lispier-opt %s -split-input-file -lispier-fuse-rows -cse | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The parameters may overlap: the ops stay as they are beside the loop over rows, for that case.
// CHECK-LABEL: func.func @center
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: scf.parallel (%[[I:.*]]) = (%c0{{.*}}) to
// The difference prefetches the next row that the sum will read; nobody asks for the row that is written.
// CHECK: %[[ROW:.*]] = memref.subview %arg0[%[[I]], 0]
// CHECK: linalg.generic {{.*}}["reduction"]} ins(%[[ROW]] : memref<?xf32, strided<[1], offset: ?>>) outs({{.*}} : memref<f32, strided<[], offset: ?>>)
// CHECK-SAME: {device.cached}
// CHECK: %[[NEXT:.*]] = arith.minui
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %c32768
// CHECK: %[[J:.*]] = arith.select %[[FITS]], %[[NEXT]], %[[I]]
// CHECK: %[[AHEAD:.*]] = memref.subview %arg0[%[[J]], 0]
// CHECK: linalg.generic {{.*}}["parallel"]} ins(%[[ROW]], %{{.*}}, %[[AHEAD]] :
// CHECK-SAME: {device.cached, device.prefetch = 1 : i64}
// CHECK: else
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]}{{.*}} attrs = {device.plain}
func.func @center(%x: memref<?x?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// Memory of the function's own overlaps with nothing. What is as long as the rows belongs to the group.
// CHECK-LABEL: func.func @own
// CHECK-NOT: scf.if
// CHECK: scf.parallel
// CHECK-COUNT-3: linalg.generic
// CHECK: }
// CHECK-NOT: linalg.generic
func.func @own(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<?xf32>) outs(%x : memref<?x?xf32>) {
  ^bb0(%b: f32, %o: f32):
    %d = arith.divf %o, %b : f32
    linalg.yield %d : f32
  }
  memref.dealloc %s : memref<?xf32>
  return
}

// -----

// A product of matrices reads the right side for each row; a sum of columns is of all rows. Both stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.parallel
// CHECK-COUNT-4: linalg.generic
func.func @others(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>, %s: memref<?xf32>) {
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.exp ins(%y : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.reduce {arith.addf} ins(%y : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [0]
  linalg.exp ins(%y : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// -----

// The groups' rows would be columns of the memory, whose elements are apart: each op alone does vectors of columns.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: scf.parallel
// CHECK-COUNT-3: linalg.generic
func.func @columns(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [0]
  linalg.reduce {arith.addf} ins(%y : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [0]
  memref.dealloc %s : memref<?xf32>
  return
}

// -----

// One pass over the rows finds nothing in the cache.
// CHECK-LABEL: func.func @one_pass
// CHECK-NOT: scf.parallel
// CHECK-COUNT-2: linalg.generic
func.func @one_pass(%x: memref<?x?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  return %s : memref<?xf32>
}

// -----

// Both ops have 2 rows; of what they write in one, the sum has 5 parts and the other op 2. The memory that both read is
// of no help: they walk other dimensions of it.
// CHECK-LABEL: func.func @other_parts
// CHECK: scf.parallel (%{{[^,]*}}) = (%{{[^,]*}}) to (%c2) step
// CHECK-NOT: scf.parallel
func.func @other_parts(%x: memref<2x2x5x4xf32>, %s: memref<2x5xf32>) -> memref<2x2x5x4xf32> {
  %y = memref.alloc() : memref<2x2x5x4xf32>
  linalg.reduce {arith.addf} ins(%x : memref<2x2x5x4xf32>) outs(%s : memref<2x5xf32>) dimensions = [0, 3]
  linalg.exp ins(%x : memref<2x2x5x4xf32>) outs(%y : memref<2x2x5x4xf32>)
  return %y : memref<2x2x5x4xf32>
}

// -----

// The second op reads elements of all rows of what the first one writes: they are made before it. The sums and what
// follows them stay rows.
// CHECK-LABEL: func.func @gathered
// CHECK: linalg.generic {{.*}} ins(%arg0 :
// CHECK: scf.parallel
// CHECK: memref.load
func.func @gathered(%t: memref<2xf32>, %i: memref<2x13xi32>, %x: memref<2x13xf32>, %s: memref<2xf32>) {
  %table = memref.alloc() : memref<2xf32>
  linalg.exp ins(%t : memref<2xf32>) outs(%table : memref<2xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]} ins(%i : memref<2x13xi32>) outs(%x : memref<2x13xf32>) {
  ^bb0(%place: i32, %old: f32):
    %0 = arith.index_cast %place : i32 to index
    %1 = memref.load %table[%0] : memref<2xf32>
    linalg.yield %1 : f32
  }
  linalg.reduce {arith.addf} ins(%x : memref<2x13xf32>) outs(%s : memref<2xf32>) dimensions = [1]
  memref.dealloc %table : memref<2xf32>
  return
}

// -----

// Views that are made with the same size have as many rows. Those on the stack need not be prefetched.
// CHECK-LABEL: func.func @views
// CHECK: scf.parallel
// CHECK-NOT: device.prefetch
// CHECK: linalg.generic {{.*}}["reduction"]}
// CHECK-NOT: device.prefetch
// CHECK: linalg.generic {{.*}}["parallel"]}
// CHECK-NOT: device.prefetch
// CHECK: return
func.func @views(%n: index) {
  %all = memref.alloca() : memref<64x80xf32>
  %sums = memref.alloca() : memref<2x64xf32>
  %x = memref.subview %all[0, 0] [%n, 64] [1, 1] : memref<64x80xf32> to memref<?x64xf32, strided<[80, 1]>>
  %s = memref.subview %sums[0, 0] [1, %n] [1, 1] : memref<2x64xf32> to memref<?xf32, strided<[1]>>
  linalg.reduce {arith.addf} ins(%x : memref<?x64xf32, strided<[80, 1]>>) outs(%s : memref<?xf32, strided<[1]>>) dimensions = [1]
  linalg.exp ins(%x : memref<?x64xf32, strided<[80, 1]>>) outs(%x : memref<?x64xf32, strided<[80, 1]>>)
  return
}

// -----

// Of dimensions of size 1, a row lacks the one that the loop walks along; MLIR would take a subview of lower rank to lack
// the first, and read by the wrong strides.
// CHECK-LABEL: func.func @unit_dimensions
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[0, 0, %{{.*}}, 0] [1, 7, 1, %{{.*}}] {{.*}} to memref<1x7x1x?xf32, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: memref.collapse_shape %[[PART]] {{\[\[}}0], [1, 2], [3]] : {{.*}} into memref<1x7x?xf32, strided<[?, ?, 1], offset: ?>>
func.func @unit_dimensions(%n: index) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc(%n) : memref<1x7x4x?xf32>
  %y = memref.alloc(%n) : memref<4x?xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<4x?xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(c, a, d, b) -> (d, b, c, a)>, affine_map<(c, a, d, b) -> (c, a)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x : memref<1x7x4x?xf32>) outs(%y : memref<4x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  memref.dealloc %x : memref<1x7x4x?xf32>
  memref.dealloc %y : memref<4x?xf32>
  return
}

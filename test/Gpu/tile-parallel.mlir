// RUN: lispier-opt %s -lispier-tile-parallel -split-input-file | FileCheck %s
// RUN: lispier-opt %s -lispier-tile-parallel=block-threads=64 -split-input-file | FileCheck %s --check-prefix=SMALL

// Dynamic sizes: tiles of 16x16 and a guard.
// CHECK-LABEL: func @two_dimensions
// CHECK-DAG: %[[TILE:.*]] = arith.constant 16
// CHECK: scf.parallel
// CHECK-NEXT: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}) to (%{{.*}}, %{{.*}})
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi ult
// CHECK: scf.if
// SMALL-LABEL: func @two_dimensions
// SMALL: arith.constant 8 : index
// SMALL-NEXT: arith.constant 8 : index
func.func @two_dimensions(%n: index, %m: memref<?x?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %f, %m[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// Sizes that the tile divides need no guard; four rows leave their threads to the columns.
// CHECK-LABEL: func @short_and_wide
// CHECK: arith.constant 768 : index
// CHECK: arith.constant 4 : index
// CHECK-NEXT: arith.constant 64 : index
// CHECK: scf.parallel
// CHECK: scf.parallel
// CHECK-NOT: scf.if
func.func @short_and_wide(%m: memref<4x768xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4_0 = arith.constant 4 : index
  %c768 = arith.constant 768 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4_0, %c768) step (%c1, %c1) {
    memref.store %f, %m[%i, %j] : memref<4x768xf32>
  }
  return
}

// -----

// One dimension takes all threads; 768 is three blocks of 256.
// CHECK-LABEL: func @one_dimension
// CHECK: arith.constant 256 : index
// CHECK-NOT: scf.if
func.func @one_dimension(%m: memref<768xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c768 = arith.constant 768 : index
  scf.parallel (%i) = (%c0) to (%c768) step (%c1) {
    memref.store %f, %m[%i] : memref<768xf32>
  }
  return
}

// -----

// Five dimensions become three.
// CHECK-LABEL: func @five_dimensions
// CHECK: scf.parallel (%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) =
// CHECK: scf.parallel (%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) =
func.func @five_dimensions(%m: memref<2x3x5x32x32xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  scf.parallel (%i, %j, %k, %l, %n) = (%c0, %c0, %c0, %c0, %c0) to (%c2, %c3, %c5, %c32, %c32) step (%c1, %c1, %c1, %c1, %c1) {
    memref.store %f, %m[%i, %j, %k, %l, %n] : memref<2x3x5x32x32xf32>
  }
  return
}

// -----

// A loop that reduces to a value stays as it is, for the host.
// CHECK-LABEL: func @with_result
// CHECK-COUNT-1: scf.parallel
// CHECK-NOT: scf.parallel
func.func @with_result(%m: memref<64xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = scf.parallel (%i) = (%c0) to (%c64) step (%c1) init (%f) -> f32 {
    %x = memref.load %m[%i] : memref<64xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// A grid has at most 65,535 blocks along y and z: more are all along x.
// CHECK-LABEL: func @many_blocks
// CHECK: scf.parallel (%{{[a-z0-9]+}}) = (%{{[a-z0-9_]+}}) to (%{{[a-z0-9_]+}})
// CHECK: arith.remsi
// CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) =
func.func @many_blocks(%m: memref<70000x2x33xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c33 = arith.constant 33 : index
  %c70000 = arith.constant 70000 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c70000, %c2, %c33) step (%c1, %c1, %c1) {
    memref.store %f, %m[%i, %j, %k] : memref<70000x2x33xf32>
  }
  return
}

// RUN: lispier-opt %s -lispier-coarsen-reductions='tile=2 unroll=1' -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,STATIC
// RUN: lispier-opt %s -lispier-coarsen-reductions='tile=2 unroll=3' -cse -split-input-file | FileCheck %s --check-prefix=UNROLL

// Four sums in one loop, of two loads from each input; an element outside reads the last one and is not stored. The
// host takes the fine loop when the result is small.
// CHECK-LABEL: func @matmul
// CHECK: scf.if
// CHECK: scf.parallel
// CHECK-COUNT-4: arith.minui
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (f32, f32, f32, f32)
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK-COUNT-4: memref.store
// CHECK: } else {
// CHECK: scf.parallel
// CHECK: scf.for {{.*}} -> (f32)
// Three steps at once, and the one or two that are left one by one.
// UNROLL-LABEL: func @matmul
// UNROLL: scf.for {{.*}} -> (f32, f32, f32, f32)
// UNROLL-COUNT-12: memref.load
// UNROLL-NOT: memref.load
// UNROLL: scf.for {{.*}} -> (f32, f32, f32, f32)
// UNROLL-COUNT-4: memref.load
// UNROLL-NOT: memref.load
// UNROLL: memref.store
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %m: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    %z = memref.load %c[%i, %j] : memref<?x?xf32>
    %s = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %z) -> (f32) {
      %x = memref.load %a[%i, %l] : memref<?x?xf32>
      %y = memref.load %b[%l, %j] : memref<?x?xf32>
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %acc, %p : f32
      scf.yield %t : f32
    }
    memref.store %s, %c[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// Known sizes need no choice: large is coarse, small stays fine. A loop that stores inside stays, too.
// STATIC-LABEL: func @large
// STATIC-NOT: scf.if %
// STATIC: scf.for {{.*}} -> (f32, f32, f32, f32)
// STATIC-NOT: } else {
// STATIC-LABEL: func @small
// STATIC: scf.for {{.*}} -> (f32) {
// STATIC-LABEL: func @stores
// STATIC: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
func.func @large(%a: memref<1024xf32>, %c: memref<1024x1024xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %s = scf.for %l = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %x = memref.load %a[%l] : memref<1024xf32>
      %t = arith.addf %acc, %x : f32
      scf.yield %t : f32
    }
    memref.store %s, %c[%i, %j] : memref<1024x1024xf32>
  }
  return
}
func.func @small(%a: memref<1024xf32>, %c: memref<64x64xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %s = scf.for %l = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %x = memref.load %a[%l] : memref<1024xf32>
      %t = arith.addf %acc, %x : f32
      scf.yield %t : f32
    }
    memref.store %s, %c[%i, %j] : memref<64x64xf32>
  }
  return
}
func.func @stores(%a: memref<1024xf32>, %c: memref<1024x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    scf.for %l = %c0 to %n step %c1 {
      %x = memref.load %a[%l] : memref<1024xf32>
      memref.store %x, %c[%i, %j] : memref<1024x1024xf32>
    }
  }
  return
}

// RUN: lispier-opt %s -lispier-promote-accumulators -split-input-file | FileCheck %s

// One load before and one store after the whole nest; nothing else in it touches the element.
// CHECK-LABEL: func @nest
// CHECK: %[[BEFORE:.*]] = memref.load %arg1[%arg2]
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[BEFORE]])
// CHECK:   scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK:     %[[X:.*]] = memref.load %arg0
// CHECK:     %[[NEXT:.*]] = arith.addf %[[INNER]], %[[X]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NOT: memref.store
// CHECK: memref.store %[[SUM]], %arg1[%arg2]
// CHECK-NOT: device.reduction
func.func @nest(%a: memref<?x?xf32>, %c: memref<?xf32>, %i: index, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %k = %c0 to %m step %c1 {
      %x = memref.load %a[%j, %k] : memref<?x?xf32>
      %y = memref.load %c[%i] : memref<?xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %c[%i] : memref<?xf32>
    } {device.reduction}
  } {device.reduction}
  return
}

// -----

// Two arguments may be the same memory, and a loop that does not run must not load.
// CHECK-LABEL: func @unknown_arguments
// CHECK-NOT: iter_args
func.func @unknown_arguments(%a: memref<8xf32>, %c: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %x = memref.load %a[%k] : memref<8xf32>
    %y = memref.load %c[%c0] : memref<8xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %c[%c0] : memref<8xf32>
  }
  return
}
// CHECK-LABEL: func @may_not_run
// CHECK-NOT: iter_args
func.func @may_not_run(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.alloc() : memref<8xf32>
  scf.for %k = %c0 to %n step %c1 {
    %y = memref.load %c[%c0] : memref<8xf32>
    %z = arith.addf %y, %y : f32
    memref.store %z, %c[%c0] : memref<8xf32>
  }
  return
}

// Own allocations are apart, and eight rounds are more than none.
// CHECK-LABEL: func @own_memory
// CHECK: scf.for {{.*}} iter_args
func.func @own_memory(%a: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c = memref.alloc() : memref<8xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    %x = memref.load %a[%k] : memref<8xf32>
    %y = memref.load %c[%c0] : memref<8xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %c[%c0] : memref<8xf32>
  }
  %r = memref.load %c[%c0] : memref<8xf32>
  return %r : f32
}

// -----

// Another element of the same memref is read: the sums depend on the stores.
// CHECK-LABEL: func @prefix_sum
// CHECK-NOT: iter_args
func.func @prefix_sum(%c: memref<?xf32>, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = memref.load %c[%k] : memref<?xf32>
    %y = memref.load %c[%i] : memref<?xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %c[%i] : memref<?xf32>
  } {device.reduction}
  return
}

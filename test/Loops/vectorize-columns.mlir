// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel=vector-bytes=64 -canonicalize | FileCheck %s
// Without the width of vectors there are none.
// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel | FileCheck %s --check-prefix=NONE
// NONE-NOT: vector<

// Each column's loop over rows is one of several columns: eight vectors of them, then one, then single columns. What is
// the same for all columns, as the number of a row's weight, stays a number.
// CHECK-LABEL: func.func private @columns_parallel(
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c128
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (vector<128xf32>)
// CHECK: %[[X:.*]] = vector.load %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32>, vector<128xf32>
// CHECK: %[[W:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xf32>
// CHECK: %[[ALL:.*]] = vector.broadcast %[[W]] : f32 to vector<128xf32>
// CHECK: arith.mulf %[[X]], %[[ALL]] : vector<128xf32>
// CHECK: vector.store %[[SUM]], %{{.*}}[%[[J]]]
// CHECK: scf.for {{.*}} step %c16
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: scf.for {{.*}} step %c1
// CHECK: memref.load {{.*}} : memref<?x?xf32>
func.func @columns(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%s = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = memref.load %w[%i] : memref<?xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}

// -----

// The innermost of several dimensions; numbers of 64 bits are half as many.
// CHECK-LABEL: func.func private @product_parallel(
// CHECK: vector.load {{.*}} vector<64xf64>
func.func @product(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %m: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    scf.for %l = %c0 to %k step %c1 {
      %x = memref.load %a[%i, %l] : memref<?x?xf64>
      %y = memref.load %b[%l, %j] : memref<?x?xf64>
      %z = memref.load %c[%i, %j] : memref<?x?xf64>
      %p = math.fma %x, %y, %z : f64
      memref.store %p, %c[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Not what LLVM vectorises itself, along rows; what is not contiguous; what another function does; another trip count
// in each column; a condition of a column; fewer columns than a vector has.
// CHECK-LABEL: func.func private @rows_parallel(
// CHECK-NOT: vector<
func.func @rows(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%s = %zero) -> (f32) {
      %a = memref.load %x[%j, %i] : memref<?x?xf32>
      %t = arith.addf %s, %a : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func private @apart_parallel(
// CHECK-NOT: vector<
func.func @apart(%x: memref<?x?xf32, strided<[?, ?]>>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    scf.for %i = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, ?]>>
      memref.store %a, %y[%j] : memref<?xf32>
    }
  }
  return
}
func.func private @other(f32) -> f32
// CHECK-LABEL: func.func private @called_parallel(
// CHECK-NOT: vector<
func.func @called(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    scf.for %i = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = func.call @other(%a) : (f32) -> f32
      memref.store %b, %y[%j] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func private @triangle_parallel(
// CHECK-NOT: vector<
func.func @triangle(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    scf.for %i = %c0 to %j step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      memref.store %a, %y[%j] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func private @chosen_parallel(
// CHECK-NOT: vector<
func.func @chosen(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    scf.for %i = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf ogt, %a, %zero : f32
      scf.if %c {
        memref.store %a, %y[%j] : memref<?xf32>
      }
    }
  }
  return
}
// CHECK-LABEL: func.func private @few_parallel(
// CHECK-NOT: vector<
func.func @few(%x: memref<?x3xf32>, %y: memref<?x3xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%k, %j) = (%c0, %c0) to (%n, %c3) step (%c1, %c1) {
    scf.for %i = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x3xf32>
      memref.store %a, %y[%k, %j] : memref<?x3xf32>
    }
  }
  return
}

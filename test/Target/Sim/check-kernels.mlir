// RUN: lispier-opt %s -lispier-check-kernels | FileCheck %s

// A vector access: every index against its dimension, then the address with its size and alignment.
// CHECK-LABEL: func.func private @accesses(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[M:.*]]: memref<?x?xf32>, %[[I:.*]]: index
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: call @lispier_sim_index(%[[T]], %{{.*}}, %{{.*}}, %[[FOUR]],
// CHECK: memref.extract_strided_metadata %[[M]]
// CHECK: %[[BYTES:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[ALIGN:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-NEXT: call @lispier_sim_access(%[[T]], %{{.*}}, %{{.*}}, %[[BYTES]], %[[ALIGN]], %[[READ]])
// CHECK-NEXT: vector.load
func.func private @accesses(%thread: !llvm.ptr, %m: memref<?x?xf32>, %i: index) attributes {lispier.sim} {
  %v = vector.load %m[%i, %i] : memref<?x?xf32>, vector<4xf32>
  return
}

// Only divisors that might be zero are checked.
// CHECK-LABEL: func.func private @divisors(
// CHECK-COUNT-1: call @lispier_sim_divisor(
// CHECK-NOT: call @lispier_sim_divisor(
func.func private @divisors(%thread: !llvm.ptr, %a: i32, %b: i32) -> (i32, i32) attributes {lispier.sim} {
  %c3 = arith.constant 3 : i32
  %0 = arith.divsi %a, %c3 : i32
  %1 = arith.remui %a, %b : i32
  return %0, %1 : i32, i32
}

// The last element of a view must lie in its source.
// CHECK-LABEL: func.func private @views(
// CHECK-COUNT-1: call @lispier_sim_index(
func.func private @views(%thread: !llvm.ptr, %m: memref<?xf32>, %i: index) attributes {lispier.sim} {
  %v = memref.subview %m[%i] [8] [2] : memref<?xf32> to memref<8xf32, strided<[2], offset: ?>>
  return
}

// Host code is left alone.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: lispier_sim
func.func @host(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}

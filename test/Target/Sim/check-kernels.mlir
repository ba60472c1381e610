// RUN: lispier-opt %s -lispier-check-kernels | FileCheck %s

// A vector access: every index against its dimension, then the address with its size and alignment.
// CHECK-LABEL: func.func private @accesses(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[M:.*]]: memref<?x?xf32>, %[[I:.*]]: index
// CHECK: memref.extract_strided_metadata %[[M]]
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: call @lispier_sim_index(%[[T]], %{{.*}}, %{{.*}}, %[[FOUR]],
// CHECK: %[[BYTES:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[ALIGN:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-NEXT: call @lispier_sim_access(%[[T]], %{{.*}}, %{{.*}}, %[[BYTES]], %[[ALIGN]], %[[READ]])
// CHECK-NEXT: vector.load
func.func private @accesses(%thread: !llvm.ptr, %m: memref<?x?xf32>, %i: index) attributes {device.sim_thread} {
  %v = vector.load %m[%i, %i] : memref<?x?xf32>, vector<4xf32>
  return
}

// Only divisions that might go wrong are checked: not by a constant, but by -1 where the quotient may overflow.
// CHECK-LABEL: func.func private @divisions(
// CHECK: %[[SIGNED:.*]] = arith.constant 32 : i32
// CHECK: call @lispier_sim_division(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SIGNED]])
// CHECK-NEXT: }
// CHECK-NEXT: arith.divsi %{{.*}}, %c-1_i32
// CHECK: %[[UNSIGNED:.*]] = arith.constant 0 : i32
// CHECK: call @lispier_sim_division(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[UNSIGNED]])
// CHECK-NEXT: }
// CHECK-NEXT: arith.remui
// CHECK-COUNT-4: call @lispier_sim_division(
// CHECK-NOT: call @lispier_sim_division(
func.func private @divisions(%thread: !llvm.ptr, %a: i32, %b: i32, %v: vector<2x2xindex>) -> (i32, i32, i32, vector<2x2xindex>) attributes {device.sim_thread} {
  %c3 = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %0 = arith.divsi %a, %c3 : i32
  %1 = arith.divsi %a, %minus : i32
  %2 = arith.remui %a, %b : i32
  %3 = arith.ceildivsi %v, %v : vector<2x2xindex>
  return %0, %1, %2, %3 : i32, i32, i32, vector<2x2xindex>
}

// A view of bytes must lie in its buffer, and a copy is its loads and stores.
// CHECK-LABEL: func.func private @bytes(
// CHECK: %[[FLOATS:.*]] = arith.muli %c4_i64, %{{.*}} : i64
// CHECK: call @lispier_sim_view(%{{.*}}, %{{.*}}, %{{.*}}, %[[FLOATS]], %{{.*}})
// CHECK-NEXT: memref.view
// CHECK: scf.for
// CHECK: call @lispier_sim_index(
// CHECK: memref.load
// CHECK: call @lispier_sim_index(
// CHECK: memref.store
// CHECK-NOT: memref.copy
func.func private @bytes(%thread: !llvm.ptr, %m: memref<?xi8>, %to: memref<?xf32>, %i: index) attributes {device.sim_thread} {
  %v = memref.view %m[%i][%i] : memref<?xi8> to memref<?xf32>
  memref.copy %v, %to : memref<?xf32> to memref<?xf32>
  return
}

// The last element of a view must lie in its source.
// CHECK-LABEL: func.func private @views(
// CHECK-COUNT-1: call @lispier_sim_index(
func.func private @views(%thread: !llvm.ptr, %m: memref<?xf32>, %i: index) attributes {device.sim_thread} {
  %v = memref.subview %m[%i] [8] [2] : memref<?xf32> to memref<8xf32, strided<[2], offset: ?>>
  return
}

// The same memory in other sizes: from the first to the last element of each, and how many they are. Steps may be negative.
// CHECK-LABEL: func.func private @reinterpreted(
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: call @lispier_sim_reinterpret(
// CHECK-NEXT: memref.reinterpret_cast
func.func private @reinterpreted(%thread: !llvm.ptr, %m: memref<?xf32>, %n: index) attributes {device.sim_thread} {
  %v = memref.reinterpret_cast %m to offset: [%n], sizes: [%n], strides: [-1] : memref<?xf32> to memref<?xf32, strided<[-1], offset: ?>>
  return
}

// A shift whose amount is known to be small enough is not checked; the others are, each lane.
// CHECK-LABEL: func.func private @shifts(
// CHECK-COUNT-3: call @lispier_sim_shift(
// CHECK-NOT: call @lispier_sim_shift(
func.func private @shifts(%thread: !llvm.ptr, %a: i32, %v: vector<2xi64>) -> (i32, vector<2xi64>) attributes {device.sim_thread} {
  %c31 = arith.constant 31 : i32
  %0 = arith.shli %a, %c31 : i32
  %1 = arith.shrsi %0, %a : i32
  %2 = arith.shrui %v, %v : vector<2xi64>
  return %1, %2 : i32, vector<2xi64>
}

// Host code is left alone.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: lispier_sim
func.func @host(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}

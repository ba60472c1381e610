// RUN: lispier-opt %s -lispier-expand-atomics -cse | FileCheck %s

// Shared memory is reached by an address of any memory, so that nothing here knows how a target numbers it.
// CHECK-LABEL: gpu.func @product
// CHECK: memref.memory_space_cast %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>> to memref<4xf32>
// CHECK: %[[ADDRESS:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK: %[[FIRST:.*]] = llvm.load %[[ADDRESS]] : !llvm.ptr -> i32
// CHECK: %[[LAST:.*]] = scf.while (%[[OLD:.*]] = %[[FIRST]]) : (i32) -> i32
// CHECK: %[[NUMBER:.*]] = arith.bitcast %[[OLD]] : i32 to f32
// CHECK: %[[NEXT:.*]] = arith.mulf %[[NUMBER]], %{{.*}} : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NEXT]] : f32 to i32
// CHECK: llvm.cmpxchg %[[ADDRESS]], %[[OLD]], %[[BITS]] acq_rel monotonic
// CHECK: arith.bitcast %[[LAST]] : i32 to f32
// CHECK-NOT: memref.atomic_rmw mulf
// The machines have the others.
// CHECK: memref.atomic_rmw addf
// CHECK: memref.generic_atomic_rmw {{.*}} : memref<4xi32>
gpu.module @m {
  gpu.func @product(%a: memref<4xf32>, %n: memref<4xi32>, %v: f32) workgroup(%s: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %old = memref.atomic_rmw mulf %v, %s[%i] : (f32, memref<4xf32, #gpu.address_space<workgroup>>) -> f32
    %sum = memref.atomic_rmw addf %old, %a[%i] : (f32, memref<4xf32>) -> f32
    %r = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%x: i32):
      %y = arith.muli %x, %x : i32
      memref.atomic_yield %y : i32
    }
    gpu.return
  }
}

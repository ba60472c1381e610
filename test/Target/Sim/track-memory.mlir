// RUN: lispier-opt %s -lispier-track-memory | FileCheck %s

// The runtime knows what is allocated and frees it; an index that may be outside is only looked at where it is.
// CHECK-LABEL: func.func @host(
// CHECK: %[[M:.*]] = memref.alloc(
// CHECK: call @lispier_sim_allocated(
// CHECK: scf.if
// CHECK: call @lispier_sim_host_index(
// CHECK-NEXT: }
// CHECK: call @lispier_sim_host_access(
// CHECK-NEXT: memref.load %[[M]]
// CHECK-NOT: memref.dealloc
// CHECK: call @lispier_sim_free(
func.func @host(%n: index, %i: index) -> f32 {
  %m = memref.alloc(%n) : memref<?xf32>
  %v = memref.load %m[%i] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %v : f32
}

// Kernels have been checked, and stacks are nobody's to free.
// CHECK-LABEL: func.func private @kernel(
// CHECK-NOT: lispier_sim
func.func private @kernel(%thread: !llvm.ptr, %m: memref<?xf32>, %i: index) -> f32 attributes {device.checked} {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
func.func @stack(%i: index) -> f32 {
  %m = memref.alloca() : memref<4xf32>
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

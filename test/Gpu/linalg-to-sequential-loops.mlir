// RUN: lispier-opt %s --pass-pipeline='builtin.module(gpu.module(lispier-linalg-to-sequential-loops))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @fill(
  // CHECK-SAME: %[[X:.*]]: memref<4x?xf32>, %[[V:.*]]: f32)
  gpu.func @fill(%x: memref<4x?xf32>, %v: f32) kernel {
    // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
    // CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
    // CHECK: memref.store %[[V]], %[[X]][
    // CHECK-NOT: linalg.fill
    linalg.fill ins(%v : f32) outs(%x : memref<4x?xf32>)
    gpu.return
  }
}

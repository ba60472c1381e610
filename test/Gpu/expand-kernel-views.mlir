// RUN: lispier-opt %s --pass-pipeline='builtin.module(gpu.module(lispier-expand-kernel-views))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @view(
  // CHECK-SAME: %[[X:.*]]: memref<8x?xf32>, %[[I:.*]]: index
  // CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
  // CHECK: %[[OFFSET:.*]] = affine.apply
  // CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [2, 4], strides: [%[[STRIDES]]#0, 1]
  // CHECK-NOT: memref.subview
  gpu.func @view(%x: memref<8x?xf32>, %i: index, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %part = memref.subview %x[%i, %i] [2, 4] [1, 1] : memref<8x?xf32> to memref<2x4xf32, strided<[?, 1], offset: ?>>
    memref.store %v, %part[%c0, %c0] : memref<2x4xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}

// RUN: lispier-opt %s -lispier-match-kernels | FileCheck %s

// Weights that are uploaded and never written are constant, also of ops that a program writes.
// CHECK-LABEL: func @main
// CHECK: nn.linear %{{.*}} {constant_weights} : memref
// CHECK: nn.linear %{{.*}} into %{{[^{]*}} : memref
// CHECK: nn.layer_norm %{{[^{]*}} : memref
func.func @main(%x: memref<2x4xf32>, %host: memref<3x4xf32>, %bias: memref<4xf32>, %y: memref<2x3xf32>, %e: f32) {
  %w = device.upload %host : memref<3x4xf32>
  %v = device.upload %host : memref<3x4xf32>
  %g = device.upload %bias : memref<4xf32>
  nn.linear %x, %w into %y : memref<2x4xf32>, memref<3x4xf32>, memref<2x3xf32>
  nn.gelu %v into %v : memref<3x4xf32>, memref<3x4xf32>
  nn.linear %x, %v into %y : memref<2x4xf32>, memref<3x4xf32>, memref<2x3xf32>
  // The bias may be memory of anything.
  nn.layer_norm %x, %g, %bias epsilon %e into %x : memref<2x4xf32>, memref<4xf32>, memref<4xf32>, memref<2x4xf32>
  return
}

// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-kernel-vectors))' | FileCheck %s

// A row in bounds is a plain load; a sum over two dimensions becomes sums over one.
// CHECK-LABEL: gpu.func @k
// CHECK: vector.load %{{.*}} : memref<64xf32>, vector<4xf32>
// CHECK-NOT: vector.multi_reduction
// CHECK: vector.reduction <add>
// What is computed of one element is no vector.
// CHECK: arith.negf %{{.*}} : f32
gpu.module @m {
  gpu.func @k(%a: memref<64xf32>, %m: vector<4x4xf32>, %one: vector<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %f = arith.constant 0.0 : f32
    %x = vector.transfer_read %a[%c0], %f {in_bounds = [true]} : memref<64xf32>, vector<4xf32>
    vector.store %x, %a[%c0] : memref<64xf32>, vector<4xf32>
    %s = vector.multi_reduction <add>, %m, %f [0, 1] : vector<4x4xf32> to f32
    memref.store %s, %a[%c0] : memref<64xf32>
    %n = arith.negf %one : vector<1xf32>
    vector.store %n, %a[%c0] : memref<64xf32>, vector<1xf32>
    gpu.return
  }
}

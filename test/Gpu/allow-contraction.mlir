// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-allow-contraction))' | FileCheck %s

// Flags that are there stay; host code keeps its exact meaning.
// CHECK-LABEL: func @host
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-LABEL: gpu.func @k
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<4xf32>
func.func @host(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
gpu.module @m {
  gpu.func @k(%x: f32, %v: vector<4xf32>, %o: memref<4xf32>, %p: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %y = arith.mulf %x, %x fastmath<nnan> : f32
    %w = arith.addf %v, %v : vector<4xf32>
    memref.store %y, %o[%c0] : memref<4xf32>
    vector.store %w, %p[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

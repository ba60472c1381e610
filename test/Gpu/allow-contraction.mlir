// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-allow-contraction))' | FileCheck %s

// Flags that are there stay; host code keeps its exact meaning.
// CHECK-LABEL: func @host
// CHECK: arith.mulf %{{[^ ,]+}}, %{{[^ ,]+}} : f32
// CHECK-LABEL: gpu.func @k
// CHECK: arith.mulf %{{[^ ,]+}}, %{{[^ ,]+}} fastmath<nnan,contract> : f32
// CHECK: arith.addf %{{[^ ,]+}}, %{{[^ ,]+}} fastmath<contract> : vector<4xf32>
// A product that many elements share is no part of FMAs.
// CHECK-LABEL: gpu.func @shared
// CHECK: arith.mulf %{{[^ ,]+}}, %{{[^ ,]+}} : vector<1xf32>
// CHECK: arith.subf %{{[^ ,]+}}, %{{[^ ,]+}} fastmath<contract> : vector<4xf32>
// CHECK: arith.mulf %{{[^ ,]+}}, %{{[^ ,]+}} : vector<2xf32>
// CHECK: arith.mulf %{{[^ ,]+}}, %{{[^ ,]+}} fastmath<contract> : vector<2xf32>
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
  gpu.func @shared(%sums: vector<1xf32>, %two: vector<2xf32>, %twice: vector<2xf32>, %v: vector<4xf32>, %p: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %third = arith.constant dense<0.333333343> : vector<1xf32>
    %mean = arith.mulf %sums, %third : vector<1xf32>
    %number = vector.to_elements %mean : vector<1xf32>
    %all = vector.broadcast %number : f32 to vector<4xf32>
    %w = arith.subf %v, %all : vector<4xf32>
    %squares = arith.mulf %two, %twice : vector<2xf32>
    %a:2 = vector.to_elements %squares : vector<2xf32>
    %pairs = vector.from_elements %a#0, %a#0, %a#1, %a#1 : vector<4xf32>
    %u = arith.addf %w, %pairs : vector<4xf32>
    %own = arith.mulf %two, %two : vector<2xf32>
    %b:2 = vector.to_elements %own : vector<2xf32>
    %each = vector.from_elements %b#0, %b#1, %a#1, %a#1 : vector<4xf32>
    %z = arith.addf %u, %each : vector<4xf32>
    vector.store %z, %p[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

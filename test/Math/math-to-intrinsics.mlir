// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-math-to-intrinsics))' | FileCheck %s

// What has an instruction becomes an intrinsic; what needs a polynomial is not this pass's.
// CHECK-LABEL: gpu.func @k
// CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call_intrinsic "llvm.fma"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK: math.exp
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: llvm.call_intrinsic "llvm.ctlz"(%{{.*}}, %[[NO]]) : (i32, i1) -> i32
gpu.module @m {
  gpu.func @k(%x: f32, %v: vector<4xf32>, %a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %y = math.sqrt %x : f32
    %w = math.fma %v, %v, %v : vector<4xf32>
    %z = math.exp %y : f32
    memref.store %z, %a[%c0] : memref<64xf32>
    vector.store %w, %a[%c0] : memref<64xf32>, vector<4xf32>
    %i = arith.fptosi %x : f32 to i32
    %n = math.ctlz %i : i32
    %m = arith.sitofp %n : i32 to f32
    memref.store %m, %a[%c0] : memref<64xf32>
    gpu.return
  }

  // Of indices, which LLVM lacks, it is one of numbers.
  // CHECK-LABEL: gpu.func @indices
  // CHECK: %[[NUMBERS:.*]] = arith.index_cast %{{.*}} : vector<4xindex> to vector<4xi64>
  // CHECK: %[[ABS:.*]] = llvm.call_intrinsic "llvm.abs"(%[[NUMBERS]], %{{.*}}) : (vector<4xi64>, i1) -> vector<4xi64>
  // CHECK: arith.index_cast %[[ABS]] : vector<4xi64> to vector<4xindex>
  gpu.func @indices(%v: vector<4xindex>, %a: memref<64xindex>) kernel {
    %c0 = arith.constant 0 : index
    %w = math.absi %v : vector<4xindex>
    vector.store %w, %a[%c0] : memref<64xindex>, vector<4xindex>
    gpu.return
  }
}

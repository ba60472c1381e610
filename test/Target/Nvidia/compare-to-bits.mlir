// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-compare-to-bits))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @bits
  // CHECK-SAME: %[[X:.*]]: f32, %[[V:.*]]: vector<2xf64>
  llvm.func @bits(%x: f32, %v: vector<2xf64>) -> i1 {
    // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1.000000e+00 : f32) : f32
    // CHECK: llvm.fcmp "oge" %[[X]], %[[ONE]] : f32
    %u = llvm.fptoui %x : f32 to i1
    // CHECK: %[[MINUS:.*]] = llvm.mlir.constant(dense<-1.000000e+00> : vector<2xf64>) : vector<2xf64>
    // CHECK: llvm.fcmp "ole" %[[V]], %[[MINUS]] : vector<2xf64>
    %s = llvm.fptosi %v : vector<2xf64> to vector<2xi1>
    // CHECK: llvm.fptoui %{{.*}} : f32 to i8
    %byte = llvm.fptoui %x : f32 to i8
    llvm.return %u : i1
  }
}

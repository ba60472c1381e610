// RUN: lispier-opt %s -lispier-flush-exponentials | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @powers
  gpu.func @powers(%x: f32, %v: vector<2xf32>, %h: f64) kernel {
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%{{.*}}) : (f32) -> f32
    %a = llvm.call_intrinsic "llvm.exp2"(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
    // CHECK: vector.from_elements
    %b = llvm.call_intrinsic "llvm.exp2"(%v) {fastmathFlags = #llvm.fastmath<afn>} : (vector<2xf32>) -> vector<2xf32>
    // One that has to be exact stays, and so does f64.
    // CHECK: llvm.call_intrinsic "llvm.exp2"
    // CHECK: llvm.call_intrinsic "llvm.exp2"
    %c = llvm.call_intrinsic "llvm.exp2"(%x) : (f32) -> f32
    %d = llvm.call_intrinsic "llvm.exp2"(%h) {fastmathFlags = #llvm.fastmath<afn>} : (f64) -> f64
    %s = arith.addf %a, %c : f32
    gpu.return
  }
}

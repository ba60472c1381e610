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

  // Quotients by what is at least 1.
  // CHECK-LABEL: gpu.func @quotients
  gpu.func @quotients(%x: f32, %v: vector<2xf32>, %y: f32) kernel {
    %one = arith.constant 1.0 : f32
    %ones = arith.constant dense<1.0> : vector<2xf32>
    %small = arith.constant 0.5 : f32
    %a = llvm.call_intrinsic "llvm.exp2"(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %b = llvm.call_intrinsic "llvm.exp2"(%v) {fastmathFlags = #llvm.fastmath<afn>} : (vector<2xf32>) -> vector<2xf32>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
    %sum = arith.addf %a, %one : f32
    %q = arith.divf %y, %sum fastmath<afn> : f32
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"
    // CHECK: vector.from_elements
    %sums = arith.addf %ones, %b : vector<2xf32>
    %r = arith.divf %v, %sums fastmath<afn> : vector<2xf32>
    // What may be smaller, is no power, or has to be exact stays.
    // CHECK: arith.divf
    // CHECK: arith.divf
    // CHECK: arith.divf
    // CHECK-NOT: llvm.nvvm.div
    // CHECK: gpu.return
    %less = arith.addf %a, %small : f32
    %s = arith.divf %y, %less fastmath<afn> : f32
    %other = arith.addf %x, %one : f32
    %t = arith.divf %y, %other fastmath<afn> : f32
    %u = arith.divf %y, %sum : f32
    gpu.return
  }
}

// Powers of f32 in a kernel: of negative numbers, by any exponent, and at the edges, as the C library has them.
// RUN: lispier-opt %s --pass-pipeline='builtin.module(lispier-expand-math{standalone=true},convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -O2 -shared-libs=%llvm-libraries/libmlir_c_runner_utils.so | FileCheck %s
func.func @show(%x: f32, %y: f32) {
  %r = math.powf %x, %y : f32
  vector.print %r : f32
  return
}
func.func @main() {
  %minus2 = arith.constant -2.0 : f32
  %minus1 = arith.constant -1.0 : f32
  %minus0 = arith.constant -0.0 : f32
  %0 = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %1 = arith.constant 1.0 : f32
  %3 = arith.constant 3.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // CHECK: -8
  call @show(%minus2, %3) : (f32, f32) -> ()
  // CHECK-NEXT: nan
  call @show(%minus2, %half) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}1
  call @show(%minus1, %inf) : (f32, f32) -> ()
  // CHECK-NEXT: -inf
  call @show(%minus0, %minus1) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}inf
  call @show(%0, %minus2) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}inf
  call @show(%minus_inf, %half) : (f32, f32) -> ()
  // CHECK-NEXT: -inf
  call @show(%minus_inf, %3) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}0
  call @show(%half, %inf) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}1
  call @show(%1, %nan) : (f32, f32) -> ()
  // CHECK-NEXT: {{^}}1
  call @show(%nan, %0) : (f32, f32) -> ()
  // CHECK-NEXT: nan
  call @show(%nan, %1) : (f32, f32) -> ()
  // CHECK-NEXT: 1.95147e+31
  %large = arith.constant 720.390015 : f32
  %power = arith.constant 10.9499989 : f32
  call @show(%large, %power) : (f32, f32) -> ()
  // -1 to an odd power that no f32 is.
  %n = arith.constant dense<[16777217, -3, 4]> : vector<3xi32>
  %x = arith.constant dense<[-1.0, -0.5, -0.0]> : vector<3xf32>
  // CHECK-NEXT: ( -1, -8, 0 )
  %p = func.call @integer(%x, %n) : (vector<3xf32>, vector<3xi32>) -> vector<3xf32>
  vector.print %p : vector<3xf32>
  return
}
func.func @integer(%x: vector<3xf32>, %n: vector<3xi32>) -> vector<3xf32> {
  %p = math.fpowi %x, %n : vector<3xf32>, vector<3xi32>
  return %p : vector<3xf32>
}

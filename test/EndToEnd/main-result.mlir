// What `run` prints of main's result: integers in decimal, floats as the shortest decimal without an exponent.
// RUN: split-file %s %t
// RUN: lispier run --from=module %t/i64.mlir | FileCheck %s --check-prefix=I64
// I64: {{^}}-7{{$}}
// RUN: not lispier run --exit-code --from=module %t/i64.mlir
// RUN: lispier run --from=module %t/f32.mlir | FileCheck %s --check-prefix=F32
// F32: {{^}}5.1400003{{$}}
// RUN: lispier run --from=module %t/f64.mlir | FileCheck %s --check-prefix=F64
// F64: {{^}}100000000000000000000000{{$}}
// RUN: lispier run --from=module %t/bf16.mlir | FileCheck %s --check-prefix=BF16
// BF16: {{^}}0.0009994507{{$}}
// RUN: lispier run --from=module %t/arguments.mlir one -- two | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: {{^}}3{{$}}
// RUN: lispier run --from=module %t/arguments.mlir -- one -- two | FileCheck %s --check-prefix=ARGUMENTS
// RUN: lispier run --from=module %t/void.mlir | count 0

//--- i64.mlir
func.func @main() -> i64 {
  %r = arith.constant -7 : i64
  return %r : i64
}
//--- f32.mlir
func.func @main() -> f32 {
  %a = arith.constant 3.14 : f32
  %b = arith.constant 2.0 : f32
  %r = arith.addf %a, %b : f32
  return %r : f32
}
//--- f64.mlir
func.func @main() -> f64 {
  %r = arith.constant 1.0e23 : f64
  return %r : f64
}
//--- bf16.mlir
func.func @main() -> bf16 {
  %r = arith.constant 1.0e-3 : bf16
  return %r : bf16
}
//--- arguments.mlir
func.func @main(%argc: i32, %argv: !llvm.ptr) -> i32 {
  return %argc : i32
}
//--- void.mlir
func.func @main() {
  return
}

// What keeps a correct module from running, each with one message.
// RUN: split-file %s %t
// RUN: not lispier run --from=module %t/no-main.mlir 2>&1 | FileCheck %s --check-prefix=NO-MAIN
// NO-MAIN: no-main.mlir:1:1: error[main-missing]: this program has no function `main`
// NO-MAIN: hint: its functions are `f`, `g`
// RUN: not lispier run --from=module %t/signature.mlir 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: signature.mlir:1:{{[0-9]+}}: error[main-signature]: `main` cannot be called with these parameters
// RUN: not lispier run --from=module %t/unresolved.mlir 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// UNRESOLVED: unresolved.mlir:1:{{[0-9]+}}: error[link-unresolved]: no library defines `nobody_has_this`
// UNRESOLVED-NOT: error
// RUN: not lispier run --from=module %t/stuck.mlir 2>&1 | FileCheck %s --check-prefix=STUCK
// STUCK: stuck.mlir:3:{{[0-9]+}}: error{{.*}}: `spirv.GL.Exp` has no lowering to the CPU
// RUN: not lispier run --from=module %t/vector.mlir 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: vector.mlir:2:8: error[type-size]: a vector has at most 65536 elements, and this one is vector<99999999999xf32>
// RUN: not lispier run --from=module %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error[mod-not-found]: cannot read {{.*}}absent.mlir: No such file or directory

//--- no-main.mlir
func.func @f() { return }
func.func @g() { return }
//--- vector.mlir
func.func @main() {
  %v = arith.constant dense<1.0> : vector<99999999999xf32>
  return
}
//--- signature.mlir
func.func @main(%x: f32) { return }
//--- unresolved.mlir
func.func private @nobody_has_this() -> i64
func.func private @neither_this_but_it_is_not_called() -> i64
func.func @main() -> i64 {
  %r = call @nobody_has_this() : () -> i64
  return %r : i64
}
//--- stuck.mlir
func.func @main(%argc: i32, %argv: !llvm.ptr) -> f32 {
  %f = arith.sitofp %argc : i32 to f32
  %r = spirv.GL.Exp %f : f32
  return %r : f32
}

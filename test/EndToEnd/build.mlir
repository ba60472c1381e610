// An executable prints what the program prints, not main's result, which is its exit status.
// RUN: split-file %s %t
// RUN: lispier build --from=module %t/status.mlir -o %t/status
// RUN: not %t/status one | FileCheck %s
// CHECK: {{^}}1{{$}}
// CHECK-NOT: {{.}}
// RUN: lispier build --from=module --cpu=x86-64-v3 %t/void.mlir -o %t/void
// RUN: %t/void | count 0

// Nothing of the machine is needed: no linker, no compiler, no start files.
// RUN: mkdir -p %t/empty
// RUN: env PATH=%t/empty %lispier-build/bin/lispier build --from=module %t/status.mlir -o %t/alone
// RUN: not %t/alone one two | FileCheck %s --check-prefix=ALONE
// ALONE: {{^}}2{{$}}

// What the processor cannot do is linked from the C++ compiler's functions.
// RUN: env PATH=%t/empty %lispier-build/bin/lispier build --from=module %t/wide.mlir -o %t/wide
// RUN: not %t/wide one | FileCheck %s --check-prefix=WIDE
// WIDE: {{^}}1024{{$}}

// The linker is the tool itself.
// RUN: ln -sf %lispier-build/bin/lispier %t/ld.lld
// RUN: %t/ld.lld --version | FileCheck %s --check-prefix=LLD
// LLD: LLD 22

// Each mistake leaves no file behind.
// RUN: not lispier build --from=module %t/void.mlir -o %t/none/void 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: cannot write {{.*}}none/void: No such file or directory
// RUN: not lispier build --from=module %t/void.mlir -o %t 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// DIRECTORY: error: cannot write {{.*}}: Is a directory
// RUN: not lispier build --from=module %t/unresolved.mlir -o %t/unresolved 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// UNRESOLVED: unresolved.mlir:1:{{[0-9]+}}: error[link-unresolved]: no library defines `nobody_has_this`
// RUN: not ls %t/unresolved
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not='.o.'
// LEFT: status

// The executable reports which feature the processor lacks; no processor has all of these.
// RUN: lispier build --from=module --cpu=bdver4 %t/void.mlir -o %t/foreign
// RUN: not %t/foreign 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: {{xop|fma4|tbm}}
// RUN: not lispier build --from=module --cpu=pentium9 %t/void.mlir -o %t/foreign 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: `--cpu` does not take `pentium9`

//--- wide.mlir
func.func private @printI64(i64)
func.func private @printNewline()
func.func @main(%argc: i64, %argv: !llvm.ptr) -> i32 {
  %one = arith.extsi %argc : i64 to i128
  %bits = arith.constant 80 : i128
  %large = arith.shli %one, %bits : i128
  %less = arith.constant 70 : i128
  %divisor = arith.shli %one, %less : i128
  %quotient = arith.divsi %large, %divisor : i128
  %narrow = arith.trunci %quotient : i128 to i64
  call @printI64(%narrow) : (i64) -> ()
  call @printNewline() : () -> ()
  %r = arith.constant 7 : i32
  return %r : i32
}

//--- status.mlir
func.func private @printI64(i64)
func.func private @printNewline()
func.func @main(%argc: i64, %argv: !llvm.ptr) -> i32 {
  call @printI64(%argc) : (i64) -> ()
  call @printNewline() : () -> ()
  %r = arith.constant 7 : i32
  return %r : i32
}
//--- void.mlir
func.func @main() { return }
//--- unresolved.mlir
func.func private @nobody_has_this()
func.func @main() {
  call @nobody_has_this() : () -> ()
  return
}

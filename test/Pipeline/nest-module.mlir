// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-nest-module))' | FileCheck %s --check-prefix=NESTED
// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-nest-module,builtin.module(symbol-dce),lispier-unnest-modules),lispier-unnest-modules)' | FileCheck %s

// A pass for a builtin.module runs on the contents of a gpu.module, which then are where they were. Host code is left
// alone.
// NESTED: gpu.module @kernels {
// NESTED-NEXT: module {
// NESTED-NEXT: llvm.func @kernel()
// CHECK: gpu.module @kernels {
// CHECK-NEXT: llvm.func @kernel()
// CHECK-NOT: @unused
// CHECK: func.func private @host()
gpu.module @kernels {
  llvm.func @kernel() { llvm.return }
  llvm.func internal @unused() attributes {sym_visibility = "private"} { llvm.return }
}
func.func private @host() { return }

// A definition takes the place of its declaration.
// CHECK-NOT: @defined
// CHECK: func.func @main()
// CHECK: call @defined
// CHECK: func.func private @defined() {
// CHECK-NOT: module
func.func private @defined()
func.func @main() {
  call @defined() : () -> ()
  return
}
module {
  func.func private @defined() { return }
}

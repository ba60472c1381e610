// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-flatten-locations,lispier-nest-module,builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}),lispier-unnest-modules))" -mlir-print-debuginfo | FileCheck %s

// Kernels have scopes; host code beside them does not. A global that a macro made has the place of its call,
// and so has what is inlined from an unknown place.
// CHECK: gpu.module @kernels
// CHECK: llvm.mlir.global {{.*}} loc(#[[PLACE:.*]])
// CHECK: llvm.func @k
// CHECK-NEXT: llvm.return
// CHECK: llvm.func @host
// CHECK-DAG: = loc("program.lisp":7:7)
// CHECK-DAG: #[[PLACE]] = loc("program.lisp":3:1)
// CHECK: #llvm.di_subprogram<{{.*}}name = "k"
// CHECK-NOT: #llvm.di_subprogram
#place = loc("program.lisp":3:1)
#chain = loc(callsite("macro"(#place) at "program.lisp":9:9))
#unknown = loc(callsite(unknown at "program.lisp":7:7))
gpu.module @kernels {
  llvm.mlir.global internal constant @seven(7 : i64) : i64 loc(#chain)
  llvm.func @k() attributes {gpu.kernel} { llvm.return loc(#unknown) }
}
llvm.func @host() { llvm.return }

// RUN: lispier-opt %s -lispier-drop-operand-attributes | FileCheck %s
// The list of attributes would be shorter than the operands of the llvm.call:
// RUN: lispier --from=loops --emit=target %s | FileCheck %s --check-prefix=CALL

func.func private @rows(memref<?x?xf32>, i64) -> i64

// CHECK-LABEL: func.func @main
// CHECK: call @rows(%{{.*}}, %{{.*}}) : (memref<?x?xf32>, i64) -> i64
// CALL: llvm.call @rows({{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, i64) -> i64
func.func @main(%m: memref<?x?xf32>, %n: i64) -> i64 {
  %r = func.call @rows(%m, %n) {arg_attrs = [{device.constant}, {}], res_attrs = [{llvm.noundef}]} : (memref<?x?xf32>, i64) -> i64
  return %r : i64
}

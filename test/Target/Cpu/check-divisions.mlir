// RUN: lispier-opt %s -lispier-check-divisions | FileCheck %s

// What divisions by known numbers cannot do wrong has no branch.
// CHECK-LABEL: llvm.func @by_constants
// CHECK-NOT: llvm.cond_br
// CHECK-LABEL: llvm.func @by_minus_one
llvm.func @by_constants(%a: i32, %v: vector<2xi32>) {
  %three = llvm.mlir.constant(3 : i32) : i32
  %lanes = llvm.mlir.constant(dense<[1, 2]> : vector<2xi32>) : vector<2xi32>
  %q = llvm.sdiv %a, %three : i32
  %r = llvm.urem %v, %lanes : vector<2xi32>
  llvm.return
}

// -1 overflows, and is not zero: one question.
// CHECK: llvm.cond_br %{{.*}}, ^[[SUSPECTED:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK: ^[[SUSPECTED]]:
// CHECK: llvm.cond_br %{{.*}}, ^[[FAILS:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[FAILS]]:
// CHECK: llvm.call @lispier_rt_division_failed
// CHECK-NEXT: llvm.unreachable
// CHECK: ^[[NEXT]]:
// CHECK-NEXT: llvm.br ^[[REST]]
// CHECK: ^[[REST]]:
// CHECK-NEXT: llvm.sdiv
llvm.func @by_minus_one(%a: i32) -> i32 {
  %minus = llvm.mlir.constant(-1 : i32) : i32
  %q = llvm.sdiv %a, %minus : i32
  llvm.return %q : i32
}

// Lanes of a vector of unknown length.
// CHECK-LABEL: llvm.func @scalable
// CHECK: %[[ANY:.*]] = "llvm.intr.vector.reduce.or"(%{{.*}}) : (vector<[2]xi1>) -> i1
// CHECK: llvm.cond_br %[[ANY]]
llvm.func @scalable(%a: vector<[2]xi64>, %b: vector<[2]xi64>) -> vector<[2]xi64> {
  %q = llvm.udiv %a, %b : vector<[2]xi64>
  llvm.return %q : vector<[2]xi64>
}

// The simulator has checked it.
// CHECK-LABEL: llvm.func @checked
// CHECK-NOT: llvm.cond_br
llvm.func @checked(%a: i64, %b: i64) -> i64 attributes {device.checked} {
  %q = llvm.udiv %a, %b : i64
  llvm.return %q : i64
}

// Division by what is at least 1 has no branch: max(x, 16), however it is written, and the least of such.
// CHECK-LABEL: llvm.func @by_positive
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @by_not_negative
// CHECK: llvm.cond_br
llvm.func @by_positive(%a: i64, %b: i64) -> i64 {
  %sixteen = llvm.mlir.constant(16 : i64) : i64
  %most = llvm.mlir.constant(768 : i64) : i64
  %greater = llvm.icmp "sgt" %b, %sixteen : i64
  %selected = llvm.select %greater, %b, %sixteen : i1, i64
  %q = llvm.sdiv %a, %selected : i64
  %largest = llvm.intr.smax(%b, %sixteen) : (i64, i64) -> i64
  %least = llvm.intr.smin(%largest, %most) : (i64, i64) -> i64
  %r = llvm.srem %q, %least : i64
  llvm.return %r : i64
}
llvm.func @by_not_negative(%a: i64, %b: i64) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %largest = llvm.intr.smax(%b, %zero) : (i64, i64) -> i64
  %q = llvm.sdiv %a, %largest : i64
  llvm.return %q : i64
}

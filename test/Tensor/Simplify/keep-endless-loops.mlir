// A while loop whose results nothing needs is not erased: it may have no end, and then the program stays in it.
// RUN: lispier-opt --lispier-keep-endless-loops --canonicalize %s | FileCheck %s
// RUN: lispier-opt --lispier-keep-endless-loops --lispier-keep-endless-loops=lower --canonicalize %s | FileCheck %s --check-prefix=LOWER

// CHECK-LABEL: func.func @unused(
// CHECK: scf.while
// CHECK: device.may_not_end
// CHECK: return %arg0
// LOWER-LABEL: func.func @unused(
// LOWER: scf.while
// LOWER: llvm.intr.assume
// LOWER-NOT: device.may_not_end
func.func @unused(%n: i64) -> i64 {
  %r = scf.while (%i = %n) : (i64) -> i64 {
    %yes = arith.constant true
    scf.condition(%yes) %i : i64
  } do {
  ^bb0(%i: i64):
    scf.yield %i : i64
  }
  %twice = arith.addi %r, %r : i64
  return %n : i64
}

// Also where a loop that ends is around it, which would be dead code, too, and where its result decides nothing but
// how often another dead loop runs.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for
// CHECK: scf.while
// CHECK: device.may_not_end
// CHECK: scf.while
// CHECK: device.may_not_end
func.func @nested(%n: i64, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = scf.for %k = %zero to %m step %one iter_args(%a = %n) -> i64 {
    %r = scf.while (%i = %a) : (i64) -> i64 {
      %more = arith.cmpi sgt, %i, %n : i64
      scf.condition(%more) %i : i64
    } do {
    ^bb0(%i: i64):
      scf.yield %i : i64
    }
    scf.yield %r : i64
  }
  %t = scf.while (%i = %s) : (i64) -> i64 {
    %more = arith.cmpi sgt, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    scf.yield %i : i64
  }
  return
}

// What is needed of this one is a value from before it.
// CHECK-LABEL: func.func @invariant(
// CHECK: scf.while
// CHECK: device.may_not_end
// CHECK: return %arg0
func.func @invariant(%n: i64, %m: i64) -> i64 {
  %r = scf.while (%i = %n) : (i64) -> i64 {
    %more = arith.cmpi sgt, %i, %m : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    scf.yield %i : i64
  }
  return %r : i64
}

// Loops over a range end, so that dead ones are erased; a while loop whose result is needed stays without an effect, with
// which it would not be optimized.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.for
// CHECK: scf.while
// CHECK-NOT: device.may_not_end
// CHECK: return
func.func @others(%n: i64, %m: index) -> i64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = scf.for %k = %zero to %m step %one iter_args(%a = %n) -> i64 {
    %b = arith.addi %a, %n : i64
    scf.yield %b : i64
  }
  %r = scf.while (%i = %n) : (i64) -> i64 {
    %more = arith.cmpi sgt, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.muli %i, %i : i64
    scf.yield %next : i64
  }
  return %r : i64
}

// What a loop does not change is computed before it, unless it may fail: the loop may have no iteration.
// RUN: lispier-opt --lispier-hoist-invariants %s | FileCheck %s

// CHECK-LABEL: func @loop
// CHECK: arith.muli
// CHECK: arith.remsi %{{.*}}, %c3_i32
// CHECK: scf.for
// CHECK: arith.remsi %arg1, %arg2
func.func @loop(%n: index, %a: i32, %b: i32, %m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3_i32 = arith.constant 3 : i32
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.muli %a, %b : i32
    %1 = arith.remsi %0, %c3_i32 : i32
    %2 = arith.remsi %a, %b : i32
    %3 = arith.addi %1, %2 : i32
    memref.store %3, %m[%i] : memref<?xi32>
  }
  return
}

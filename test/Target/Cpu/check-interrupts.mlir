// RUN: lispier-opt %s -lispier-check-interrupts | FileCheck %s

// CHECK: llvm.mlir.global external @lispier_rt_interrupt_flag() {{.*}} : i32
// A loop with one in it looks each time, the one in it does not.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: %[[ADDRESS:.*]] = llvm.mlir.addressof @lispier_rt_interrupt_flag
// CHECK-NEXT: %[[FLAG:.*]] = llvm.load volatile %[[ADDRESS]]
// CHECK: %[[SET:.*]] = arith.cmpi ne, %[[FLAG]]
// CHECK-NEXT: scf.if %[[SET]]
// CHECK-NEXT: call @lispier_rt_end_interrupted()
// CHECK: scf.for
// CHECK-NOT: llvm.load
func.func @nested(%m: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %zero, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// LLVM may make vectors of this one.
// CHECK-LABEL: func.func @flat
// CHECK-NOT: llvm.load
// CHECK-LABEL: func.func @unknown
func.func @flat(%m: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %m[%i] : memref<?xf32>
  }
  return
}

// Nobody knows how long this one takes.
// CHECK: scf.while
// CHECK: } do {
// CHECK: llvm.load volatile
func.func @unknown(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %y = scf.while (%a = %x) : (f32) -> f32 {
    %more = arith.cmpf ogt, %a, %one : f32
    scf.condition(%more) %a : f32
  } do {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %half : f32
    scf.yield %b : f32
  }
  return %y : f32
}

// RUN: lispier-opt %s -allow-unregistered-dialect -lispier-merge-equal-functions | FileCheck %s


// The copy's caller becomes equal to the first one's caller, whatever the names of values.
// CHECK-LABEL: func.func private @body(
// CHECK-LABEL: func.func private @outer(
// CHECK-NOT: @copy
// CHECK-NOT: @outer_of_copy
func.func private @body(%m: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xf32>
    %y = arith.subf %x, %x : f32
    memref.store %y, %m[%i] : memref<?xf32>
  }
  return
}
func.func private @copy(%memory: memref<?xf32>, %size: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %index = %zero to %size step %one {
    %value = memref.load %memory[%index] : memref<?xf32>
    %difference = arith.subf %value, %value : f32
    memref.store %difference, %memory[%index] : memref<?xf32>
  }
  return
}
func.func private @outer(%m: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  call @body(%m, %n) : (memref<?xf32>, index) -> ()
  return
}
func.func private @outer_of_copy(%m: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  call @copy(%m, %n) : (memref<?xf32>, index) -> ()
  return
}

// Another constant, other operands of the same types, another attribute of the function.
// CHECK: @step_of_two(
// CHECK: @other_operand(
// CHECK: @aligned(
func.func private @step_of_two(%m: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    %x = memref.load %m[%i] : memref<?xf32>
    %y = arith.subf %x, %x : f32
    memref.store %y, %m[%i] : memref<?xf32>
  }
  return
}
func.func private @other_operand(%m: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%n] : memref<?xf32>
    %y = arith.subf %x, %x : f32
    memref.store %y, %m[%i] : memref<?xf32>
  }
  return
}
func.func private @aligned(%m: memref<?xf32> {llvm.align = 64 : i64}, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xf32>
    %y = arith.subf %x, %x : f32
    memref.store %y, %m[%i] : memref<?xf32>
  }
  return
}

// Other programs may call these.
// CHECK: @exported(
// CHECK: @also_exported(
func.func @exported() { return }
func.func @also_exported() { return }

// A function's address is a use as its call is; a kernel of the same name is another one.
// CHECK-LABEL: func.func @main(
// CHECK: call @body(
// CHECK: call @outer(
// CHECK: constant @body :
// CHECK: "test.use"() {kernel = @module::@copy}
gpu.module @module {
  gpu.func @copy() kernel { gpu.return }
}
func.func @main(%m: memref<?xf32>, %n: index) -> ((memref<?xf32>, index) -> ()) {
  call @copy(%m, %n) : (memref<?xf32>, index) -> ()
  call @outer_of_copy(%m, %n) : (memref<?xf32>, index) -> ()
  %address = constant @copy : (memref<?xf32>, index) -> ()
  "test.use"() {kernel = @module::@copy} : () -> ()
  call @body(%m, %n) : (memref<?xf32>, index) -> ()
  call @step_of_two(%m, %n) : (memref<?xf32>, index) -> ()
  call @other_operand(%m, %n) : (memref<?xf32>, index) -> ()
  call @aligned(%m, %n) : (memref<?xf32>, index) -> ()
  return %address : (memref<?xf32>, index) -> ()
}

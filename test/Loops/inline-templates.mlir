// RUN: lispier-opt %s -lispier-inline-templates | FileCheck %s

// The template is gone, its body stands in the loop of the caller; other calls stay.
// CHECK-NOT: @scale
// CHECK-LABEL: func.func @caller
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: call @other
// CHECK-NOT: @scale
func.func private @scale(%x: memref<?xf32>, %by: f32, %i: index) attributes {lispier.template = "nn.scale"} {
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %v, %by : f32
  memref.store %w, %x[%i] : memref<?xf32>
  return
}
func.func private @other()
func.func @caller(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    func.call @scale(%x, %two, %i) : (memref<?xf32>, f32, index) -> ()
    func.call @other() : () -> ()
  }
  return
}

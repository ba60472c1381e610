// RUN: lispier-opt %s -split-input-file -lispier-convert-host-vectors | FileCheck %s

// CHECK-LABEL: func.func @sum(
// CHECK-NOT: vector.reduction
// CHECK: "llvm.intr.vector.reduce.fadd"
func.func @sum(%v: vector<16xf32>) -> f32 {
  %sum = vector.reduction <add>, %v : vector<16xf32> into f32
  return %sum : f32
}
// CHECK-LABEL: func.func @other(
// CHECK: llvm.shufflevector
func.func @other(%v: vector<4xf32>) -> vector<4xf32> {
  %w = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
  return %w : vector<4xf32>
}

// -----

// Both functions need the same declaration of the runtime.
// CHECK-COUNT-1: llvm.func @printF32(f32)
// CHECK-NOT: llvm.func @printF32(
// CHECK-LABEL: func.func @print(
// CHECK: llvm.call @printF32(
func.func @print(%x: f32) {
  vector.print %x : f32
  return
}
// CHECK-LABEL: func.func @print_too(
// CHECK: llvm.call @printF32(
func.func @print_too(%x: f32) {
  vector.print %x : f32
  return
}

// -----

// A vector outside of functions of the func dialect.
// CHECK-LABEL: llvm.func @below(
// CHECK-NOT: vector.
// CHECK: "llvm.intr.vector.reduce.fadd"
llvm.func @below(%v: vector<16xf32>) -> f32 {
  %sum = vector.reduction <add>, %v : vector<16xf32> into f32
  llvm.return %sum : f32
}

// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-canonicalize))' | FileCheck %s

// CHECK-LABEL: func.func @folds
// CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT: return %[[THREE]]
func.func @folds() -> index {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.addi %one, %two : index
  return %three : index
}

// A template is canonicalized when it is cloned.
// CHECK-LABEL: func.func private @template
// CHECK: arith.addi
func.func private @template(%x: memref<?xf32>, %out: memref<?xf32>) attributes {nn.template = "nn.gelu"} {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.addi %one, %two : index
  %v = memref.load %x[%three] : memref<?xf32>
  memref.store %v, %out[%three] : memref<?xf32>
  return
}

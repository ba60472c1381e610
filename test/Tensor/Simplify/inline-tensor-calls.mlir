// RUN: lispier-opt %s -lispier-inline-tensor-calls | FileCheck %s
// RUN: lispier-opt %s -lispier-inline-tensor-calls=ops=7 | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: func.func @caller(
// CHECK-NOT: call @twice
// CHECK-COUNT-3: arith.addf
// CHECK: call @on_memrefs
// CHECK: call @recursive
// CHECK-NOT: @fourfold
// CHECK-NOT: @twice
// SMALL-LABEL: func.func @caller(
// SMALL: call @fourfold
func.func @caller(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %y = call @fourfold(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = arith.addf %y, %y : tensor<4xf32>
  call @on_memrefs(%m) : (memref<4xf32>) -> ()
  %r = call @recursive(%z) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is called is inlined first, and is gone unless others may call it.
func.func private @fourfold(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @on_memrefs(%m: memref<4xf32>) {
  return
}
// CHECK-LABEL: func.func private @recursive(
// CHECK: call @recursive
func.func private @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @exported(
func.func @exported(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @importer(
// CHECK-NOT: call
func.func @importer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @exported(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

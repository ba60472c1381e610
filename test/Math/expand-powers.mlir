// RUN: lispier-opt %s -lispier-expand-powers | FileCheck %s

// Powers become products, others and all else stay as they are.
// CHECK-LABEL: func.func @powers(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @powers(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3 : i32
  // CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
  %square = math.powf %x, %two : f32
  // CHECK: arith.mulf
  // CHECK: %[[CUBE:.*]] = arith.mulf
  %cube = math.fpowi %x, %three : f32, i32
  // CHECK: %[[RATIO:.*]] = math.tan %[[X]]
  %ratio = math.tan %x : f32
  // CHECK: %[[SAME:.*]] = arith.addf %[[Y]], %
  %zero = arith.constant -0.0 : f32
  %same = arith.addf %y, %zero : f32
  // CHECK: return %[[SQUARE]], %[[CUBE]], %[[RATIO]], %[[SAME]]
  return %square, %cube, %ratio, %same : f32, f32, f32, f32
}

// RUN: lispier-opt %s --lispier-round-to-bf16 | FileCheck %s
// RUN: lispier-opt %s --lispier-round-to-bf16=vectors=true | FileCheck %s --check-prefix=VECTORS

// CHECK-LABEL: func @scalar
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK: %[[SELECTED:.*]] = arith.select %[[NAN]]
// CHECK: %[[SHORT:.*]] = arith.trunci %[[SELECTED]] : i32 to i16
// CHECK: %[[Y:.*]] = arith.bitcast %[[SHORT]] : i16 to bf16
// CHECK: return %[[Y]]
func.func @scalar(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// CHECK-LABEL: func @vector
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// VECTORS-LABEL: func @vector
// VECTORS-NOT: arith.truncf
// VECTORS: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi16>
// VECTORS: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
func.func @vector(%x: vector<16xf32>) -> vector<16xbf16> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %y : vector<16xbf16>
}

// Other types, and other roundings, are the code generator's.
// CHECK-LABEL: func @others
// CHECK: arith.truncf %{{.*}} : f64 to bf16
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.truncf %{{.*}} toward_zero : f32 to bf16
func.func @others(%x: f64, %y: f32) -> (bf16, f16, bf16) {
  %0 = arith.truncf %x : f64 to bf16
  %1 = arith.truncf %y : f32 to f16
  %2 = arith.truncf %y toward_zero : f32 to bf16
  return %0, %1, %2 : bf16, f16, bf16
}

// RUN: lispier-opt %s --lispier-expand-math | FileCheck %s
// RUN: lispier-opt %s --lispier-expand-math --lispier-expand-math | FileCheck %s
// RUN: lispier-opt %s --lispier-expand-math=functions=tanh,log | FileCheck %s --check-prefix=SOME
// RUN: lispier-opt %s --lispier-expand-math=standalone=true | FileCheck %s --check-prefix=DOUBLES
// RUN: lispier-opt %s --lispier-expand-math='standalone=true functions=powf,fpowi' | FileCheck %s --check-prefix=POWERS
// RUN: lispier-opt %s --lispier-expand-math=scaling=true | FileCheck %s --check-prefix=SCALING

// e^x = 2^n e^r: n by the rounding constant, r by two FMAs, five for the
// polynomial, and 2^n in two factors so that denormals come out right. What would be rounded to 0, which Intel's
// processors take long for, has a factor of 0.
// CHECK-LABEL: func @exp(
// CHECK-NOT:   math.exp
// CHECK:       %[[LEAST:.*]] = arith.constant -1.040000e+02 : f32
// CHECK:       %[[ISZERO:.*]] = arith.cmpf olt, %{{.*}}, %[[LEAST]] : f32
// CHECK:       %[[MAGIC:.*]] = arith.constant 0x4B400000 : f32
// CHECK:       %[[SUM:.*]] = math.fma %{{.*}}, %{{.*}}, %[[MAGIC]] : f32
// CHECK:       %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK:       arith.subi %[[BITS]]
// CHECK-COUNT-7: math.fma
// CHECK:       arith.shrsi
// CHECK-COUNT-2: arith.shli
// CHECK:       %[[FIRST:.*]] = arith.mulf
// CHECK:       %[[SECOND:.*]] = arith.select %[[ISZERO]], %{{.*}}, %{{.*}} : f32
// CHECK:       arith.mulf %[[FIRST]], %[[SECOND]]
// CHECK:       return
// SOME-LABEL:  func @exp(
// SOME:        math.exp
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// AVX-512 multiplies by 2^n in one instruction; scalars, and vectors of other lengths, have the same numbers by products.
// SCALING-LABEL: func @exp_of_vectors(
// SCALING:       arith.shrsi {{.*}} : vector<8xi32>
// SCALING:       %[[N:.*]] = arith.subf {{.*}} : vector<16xf32>
// SCALING-NOT:   arith.shrsi
// SCALING:       %[[SCALED:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[Y:.*]], %[[N]], %[[Y]], %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
// SCALING-NEXT:  arith.constant dense<0.0{{.*}}> : vector<16xf32>
// SCALING-NEXT:  arith.select %{{.*}}, %{{.*}}, %[[SCALED]] : vector<16xi1>, vector<16xf32>
// SCALING:       return
func.func @exp_of_vectors(%x: vector<8xf32>, %y: vector<16xf32>) -> (vector<8xf32>, vector<16xf32>) {
  %a = math.exp %x : vector<8xf32>
  %b = math.exp2 %y : vector<16xf32>
  return %a, %b : vector<8xf32>, vector<16xf32>
}

// Vectors stay vectors.
// CHECK-LABEL: func @tanh(
// CHECK-NOT:   math.tanh
// CHECK:       math.fma {{.*}} : vector<16xf32>
// CHECK:       arith.divf {{.*}} : vector<16xf32>
// CHECK-NEXT:  math.copysign {{.*}} : vector<16xf32>
// SOME-LABEL:  func @tanh(
// SOME-NOT:    math.tanh
// SOME:        return
func.func @tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}

// 16-bit floats are computed in f32 and rounded once.
// CHECK-LABEL: func @log_bf16(
// CHECK:       arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK-NOT:   math.log
// CHECK:       arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @log_bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
  %y = math.log %x : vector<8xbf16>
  return %y : vector<8xbf16>
}

// The reduction of huge arguments runs only when a lane needs it.
// CHECK-LABEL: func @sin(
// CHECK:       %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
// CHECK:       scf.if %[[ANY]] -> (vector<4xi32>, vector<4xf32>)
// CHECK:       arith.muli {{.*}} : vector<4xi64>
// CHECK:       } else {
// CHECK-NOT:   arith.muli
// CHECK:       return
func.func @sin(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.sin %x : vector<4xf32>
  return %y : vector<4xf32>
}

// f64, and what has no formula here, are left to the target's library. With doubles, f64 is not.
// CHECK-LABEL: func @left(
// CHECK:       math.exp %{{.*}} : f64
// CHECK:       math.powf %{{.*}} : f32
// CHECK:       math.exp %{{.*}} : tensor<4xf32>
// DOUBLES-LABEL: func @left(
// DOUBLES-NOT:   math.exp
// DOUBLES-NOT:   math.powf
// DOUBLES:       math.exp %{{.*}} : tensor<4xf32>
func.func @left(%x: f64, %y: f32, %t: tensor<4xf32>) -> (f64, f32, tensor<4xf32>) {
  %a = math.exp %x : f64
  %b = math.powf %y, %y : f32
  %c = math.exp %t : tensor<4xf32>
  return %a, %b, %c : f64, f32, tensor<4xf32>
}

// Classifications of floats become comparisons, also of f64.
// CHECK-LABEL: func @kinds(
// CHECK:       arith.cmpf uno, %[[X:.*]], %[[X]] : f64
// CHECK:       arith.cmpf oeq, %{{.*}}, %{{.*}} : f64
// CHECK:       arith.cmpf olt, %{{.*}}, %{{.*}} : vector<4xf16>
// CHECK:       math.sqrt %{{.*}} : f64
// CHECK-NEXT:  arith.divf %{{.*}}, %{{.*}} : f64
func.func @kinds(%x: f64, %v: vector<4xf16>) -> (i1, i1, vector<4xi1>, f64) {
  %a = math.isnan %x : f64
  %b = math.isinf %x : f64
  %c = math.isfinite %v : vector<4xf16>
  %d = math.rsqrt %x : f64
  return %a, %b, %c, %d : i1, i1, vector<4xi1>, f64
}

// A product of integers for huge angles, as for f32; the logarithm of a power has twice an f64's digits.
// CHECK-LABEL: func @doubles(
// CHECK:       math.sin
// CHECK:       math.powf
// DOUBLES-LABEL: func @doubles(
// DOUBLES-NOT:   math.sin
// DOUBLES:       scf.if %{{.*}} -> (vector<2xi64>, vector<2xf64>, vector<2xf64>)
// DOUBLES:       arith.mului_extended %{{.*}} : vector<2xi64>
// DOUBLES-NOT:   math.powf
// DOUBLES:       return
// POWERS-LABEL: func @doubles(
// POWERS:       math.sin
// POWERS-NOT:   math.powf
// POWERS:       return
func.func @doubles(%x: vector<2xf64>, %y: f64) -> (vector<2xf64>, f64) {
  %a = math.sin %x : vector<2xf64>
  %b = math.powf %y, %y : f64
  return %a, %b : vector<2xf64>, f64
}

// Powers with exponents that are not constant; upstream expands the others to products. The integer decides parity.
// CHECK-LABEL: func @powers(
// CHECK:       math.fpowi
// CHECK:       math.powf
// CHECK:       math.powf
// POWERS-LABEL: func @powers(
// POWERS-NOT:   math.fpowi
// POWERS-NOT:   math.powf
// POWERS:       arith.andi %{{.*}}, %{{.*}} : vector<2xi32>
// POWERS:       math.copysign
// POWERS:       arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// POWERS:       math.powf %{{.*}}, %{{.*}} : f32
// POWERS-NOT:   math.powf
// POWERS:       return
func.func @powers(%x: f32, %y: f32, %v: vector<2xbf16>, %n: vector<2xi32>) -> (f32, f32, vector<2xbf16>) {
  %c = math.fpowi %v, %n : vector<2xbf16>, vector<2xi32>
  %two = arith.constant 2.0 : f32
  %a = math.powf %x, %two : f32
  %b = math.powf %x, %y : f32
  return %a, %b, %c : f32, f32, vector<2xbf16>
}

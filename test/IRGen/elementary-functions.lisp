; Elementary functions by short names: one op for scalars, vectors and tensors; numbers take the type that is expected.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func)

; CHECK-LABEL: func.func @scalars(%arg0: f32, %arg1: f64, %arg2: bf16)
; CHECK: math.exp %arg0 : f32
; CHECK: math.log %arg1 : f64
; 16-bit floats are computed in f32.
; CHECK: %[[WIDE:.*]] = arith.extf %arg2 : bf16 to f32
; CHECK: %[[ROOT:.*]] = math.sqrt %[[WIDE]] : f32
; CHECK: arith.truncf %[[ROOT]] : f32 to bf16
; CHECK: math.rsqrt %arg0
; CHECK: math.sin %arg0
; CHECK: math.cos %arg0
; CHECK: math.tanh %arg0
; CHECK: math.erf %arg0
; CHECK: math.floor %arg0
; CHECK: math.ceil %arg0
(defn scalars [(: a f32) (: b f64) (: c bf16)]
  (exp a) (log b) (sqrt c) (rsqrt a) (sin a) (cos a) (tanh a) (erf a) (floor a) (ceil a) (func.return))

; CHECK-LABEL: func.func @shapes(%arg0: vector<2x4xf32>, %arg1: tensor<3xf64>)
; CHECK: math.tanh %arg0 : vector<2x4xf32>
; CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<3xf64>)
; CHECK: math.erf %{{.*}} : f64
; 1 / (1 + exp(-x))
; CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2x4xf32>
; CHECK: %[[MINUS:.*]] = arith.negf %arg0
; CHECK: %[[EXP:.*]] = math.exp %[[MINUS]]
; CHECK: %[[SUM:.*]] = arith.addf %[[ONE]], %[[EXP]]
; CHECK: arith.divf %[[ONE]], %[[SUM]] : vector<2x4xf32>
(defn shapes [(: v vector<2x4xf32>) (: t tensor<3xf64>)] (tanh v) (erf t) (sigmoid v) (func.return))

; The absolute value of integers; a number beside a vector is one of its elements, alone it is an f64.
; CHECK-LABEL: func.func @numbers(%arg0: i32, %arg1: vector<4xf32>)
; CHECK: math.absi %arg0 : i32
; CHECK: math.absf %arg1 : vector<4xf32>
; CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<4xf32>
; CHECK: math.powf %arg1, %[[TWO]]
; CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
; CHECK: math.exp %[[ONE]] : f64
; CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
; CHECK: math.sin %[[HALF]] : f32
(defn numbers [(: i i32) (: v vector<4xf32>)] -> f32 (abs i) (abs v) (pow v 2) (exp 1) (sin 0.5))

; Keywords after the arguments are constants of the function that is generated.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect arith func memref tensor vector)

; Numbers take the type of what they meet. The names of constants that a call gives are in the symbol.
; CHECK-LABEL: func.func private @scaled$f32(
; CHECK: arith.constant 2.000000e+00 : f32
; CHECK-LABEL: func.func private @scaled$f32$by_m3$twice_true(
; CHECK: arith.constant -3.000000e+00 : f32
; The default value, written: the same function.
; CHECK-LABEL: func.func @scaling
; CHECK: call @scaled$f32(%arg0)
; CHECK: call @scaled$f32$by_m3$twice_true(%arg0)
; CHECK: call @scaled$f32(%arg0)
(defn scaled "(scaled x): documented" [x & {:by 2 :twice false}] (if twice (* x (* by 2)) (* x by)))
(defn scaling [(: x f32)] (scaled x) (scaled x :by -3 :twice true) (scaled x :twice false :by 2) (func.return))

; With keywords, a function whose parameters all have types is generic, too. A constant where the language wants one: as
; a size, a position, an attribute, a type and its part of a literal; integer arithmetic of constants is one.
; CHECK-LABEL: func.func private @places(%arg0: vector<4xf32>) -> (f32, tensor<1x1xf32>, f16, f16)
; CHECK: vector.extract %arg0[0]
; CHECK: arith.constant 0.000000e+00 : f16
; CHECK-LABEL: func.func private @places$at_3$to_f64$shape_tensor_4x6xf32(%arg0: vector<4xf32>) -> (f32, tensor<4x6xf32>, f64, f64)
; CHECK: vector.extract %arg0[3]
; CHECK: tensor.splat %{{.*}} : tensor<4x6xf32>
; CHECK: arith.extf %{{.*}} : f32 to f64
; CHECK: arith.constant 3.000000e+00 : f64
(defn places [(: v vector<4xf32>) & {:at 0 :to f16 :shape "tensor<1x1xf32>"}] -> [f32 shape to to]
  (def x (vector.extract v at))
  [x (tensor.splat {:result shape} x) (cast to x) (: at to)])
(defn in-places [(: v vector<4xf32>)]
  (places v) (places v :at (- (* 2 2) 1) :to f64 :shape "tensor<4x6xf32>") (func.return))

; Constants are handed on, under another name.
; CHECK-LABEL: func.func private @inner$f32$n_7(
; CHECK: arith.constant 7.000000e+00 : f32
; CHECK-LABEL: func.func private @outer$f32$m_8(
; CHECK: call @inner$f32$n_7(
(defn inner [x & {:n 1}] (+ x n))
(defn outer [x & {:m 1}] (inner x :n (- m 1)))
(defn handing-on [(: x f32)] -> f32 (outer x :m 8))

; Recursion by constants ends with them.
; CHECK-LABEL: func.func private @once$f32$next_once(
; CHECK-LABEL: func.func private @halves$f32$n_1$next_once(
; CHECK: call @once$f32$next_once(
; CHECK-LABEL: func.func private @halves$f32(
; CHECK: call @halves$f32$n_1$next_once(
(defn halves [x & {:n 2 :next halves}] (next (* x 0.5) :n (- n 1) :next once))
(defn once [x & {:n 0 :next abs}] x)
(defn halving [(: x f32)] -> f32 (halves x))

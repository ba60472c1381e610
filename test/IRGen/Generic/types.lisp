; A function with a parameter without a type is generated once for the types of each call, before its caller.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func memref vector)

; Numbers in the body take the type of the argument; the results follow from the body.
(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.79788 (+ x (* 0.04471 x x x)))))))
; CHECK-LABEL: func.func private @gelu$f32(%arg0: f32) -> f32 {
; CHECK-NOT: llvm.emit_c_interface
; CHECK: arith.constant 4.471000e-02 : f32
; CHECK: math.tanh %{{.*}} : f32
; CHECK-LABEL: func.func private @gelu$vector_2x4xbf16(%arg0: vector<2x4xbf16>) -> vector<2x4xbf16>
; CHECK: math.tanh %{{.*}} : vector<2x4xf32>
; CHECK-LABEL: func.func private @gelu$tensor_8xf32(%arg0: tensor<8xf32>) -> tensor<8xf32>
; The same types: the same function.
; CHECK-NOT: @gelu
; CHECK-LABEL: func.func @calls
; CHECK: call @gelu$f32(%arg0)
; CHECK: call @gelu$vector_2x4xbf16(%arg1)
; CHECK: call @gelu$tensor_8xf32(%arg2)
; CHECK: call @gelu$f32(%arg0)
(defn calls [(: a f32) (: v vector<2x4xbf16>) (: t tensor<8xf32>)] (gelu a) (gelu v) (gelu t) (gelu a) (func.return))

; Parameters with and without types; a number takes its own parameter's type, or that of the other arguments.
; CHECK-LABEL: func.func private @mixed$vector_4xf32$f32(%arg0: vector<4xf32>, %arg1: i8, %arg2: f32) -> (vector<4xf32>, i8)
; CHECK-LABEL: func.func private @mixed$i32$i32(%arg0: i32, %arg1: i8, %arg2: i32) -> (i32, i8)
; CHECK-LABEL: func.func @numbers
; CHECK: %[[I8:.*]] = arith.constant 1 : i8
; CHECK: %[[F32:.*]] = arith.constant 2.000000e+00 : f32
; CHECK: call @mixed$vector_4xf32$f32(%arg0, %[[I8]], %[[F32]])
; CHECK: %[[I32:.*]] = arith.constant 2 : i32
; CHECK: call @mixed$i32$i32(%arg1, %{{.*}}, %[[I32]])
(defn mixed [x (: n i8) y] [(* x y) n])
(defn numbers [(: v vector<4xf32>) (: i i32)] (mixed v 1 2) (mixed i 1 2) (func.return))

; Every part of a type counts: strides, and memory without a static size.
; CHECK-LABEL: func.func private @first$memref_Dxf32(
; CHECK-LABEL: func.func private @first$memref_Dxf32_strided_D(
(defn first [m] (memref.load m 0))
(defn views [(: a memref<?xf32>) (: b "memref<?xf32, strided<[?]>>")] (first a) (first b) (func.return))

; Results: several values, none, an explicit func.return, and a given type.
; CHECK-LABEL: func.func private @none$f32(%arg0: f32) {
; CHECK-LABEL: func.func private @explicit$f32(%arg0: f32) -> (f32, f32) {
; CHECK-NEXT: return %arg0, %arg0 : f32, f32
; CHECK-LABEL: func.func private @given$f32(%arg0: f32) -> bf16
(defn none [x] (for [i 0 3] (abs x)))
(defn explicit [x] (func.return x x))
(defn given [x] -> bf16 (cast bf16 x))
(defn results [(: x f32)] (none x) (def [a b] (explicit x)) (given (+ a b)) (func.return))

; A generic function that calls another; the callee comes first.
; CHECK-LABEL: func.func private @once$f32(
; CHECK-LABEL: func.func private @twice$f32(
; CHECK: call @once$f32
; CHECK: call @once$f32
; CHECK-LABEL: func.func @chain
(defn once [x] (+ x 1))
(defn twice [x] (once (once x)))
(defn chain [(: x f32)] (twice x) (func.return))

; Recursion: what the context expects of the inner call is the type of its result.
; CHECK-LABEL: func.func private @power$f32$i64(%arg0: f32, %arg1: i64) -> f32
; CHECK: func.call @power$f32$i64(
(defn power [x n] (if (= n 0) 1 (* x (power x (- n 1)))))
(defn recursion [(: x f32) (: n i64)] -> f32 (power x n))

; A function that is not called leaves nothing.
; CHECK-NOT: @uncalled
(defn uncalled [x] (gelu x))

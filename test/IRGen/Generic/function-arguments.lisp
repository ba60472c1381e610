; The name of a function as an argument, or as the value of a keyword: the function that is called is generated with it.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func math vector)

; A generic function, a function with types, a form, an op, and a function whose name is also a form's.
; CHECK-LABEL: func.func private @apply$gelu$f32(%arg0: f32) -> f32
; CHECK: call @gelu$f32(%arg0)
; CHECK-LABEL: func.func private @apply$third$f32(
; CHECK: call @third(%arg0)
; CHECK-LABEL: func.func private @apply$tanh$f32(
; CHECK: math.tanh %arg0 : f32
; CHECK-LABEL: func.func private @apply$math_atan$f32(
; CHECK: math.atan %arg0 : f32
; CHECK-LABEL: func.func private @apply$floor$f32(
; CHECK: call @floor(%arg0)
; CHECK-LABEL: func.func @calls
; CHECK: call @apply$gelu$f32(%arg0) : (f32) -> f32
(defn gelu [x] (* 0.5 x))
(defn third [(: x f32)] -> f32 (/ x 3))
(defn floor [(: x f32)] -> f32 x)
(defn apply [f x] (f x))
(defn calls [(: x f32)] (apply gelu x) (apply third x) (apply tanh x) (apply math.atan x) (apply floor x) (func.return))

; Two operands; a function that is handed on; func.call; and a local value of the name of a function is the value.
; CHECK-LABEL: func.func private @combine$add$f32(
; CHECK: call @add$f32$f32(%arg0, %arg0)
; CHECK: arith.maximumf
; CHECK-LABEL: func.func private @pass$gelu$f32
; CHECK: call @apply$gelu$f32
; CHECK: call @third
(defn combine [f x] (max (f x x) 0))
(defn pass [f x] (+ (apply f x) (func.call {:callee @third} x)))
(defn add [x y] (+ x y))
; CHECK-LABEL: func.func private @local$f32(%arg0: f32) -> f32
; CHECK: return %arg0
(defn local [third] third)
(defn more [(: x f32)] (combine add x) (pass gelu x) (def gelu x) (local gelu) (func.return))

; As a keyword: the epilogue of a product.
; CHECK-LABEL: func.func private @"dot-with$vector_4xf32$vector_4xf32$epilogue_gelu"(
; CHECK: %[[DOT:.*]] = vector.extract
; CHECK: call @gelu$f32(%[[DOT]])
(defn identity [x] x)
(defn dot-with [a b & {:epilogue identity}] (epilogue (vector.extract (* a b) 0)))
(defn epilogues [(: v vector<4xf32>)] -> f32 (+ (dot-with v v) (dot-with v v :epilogue gelu)))

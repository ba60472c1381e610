; Errors in the bodies of generic functions.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect arith func memref vector)
(defmacro half-of [x] `(half ~x))
(defn half [x] (* 0.5 x))
(defn quarter [x] (half (half x)))
(defn loaded [m] (memref.load m 0))
(defn result [x] -> f32 (* x x))
(defn result-type [x & {:to f32}] -> to x)
(defn grow [x & {:n 0}] (grow x :n (+ n 1)))
(defn early [x] (abs (early x)))
(defn differs [x] (cast f64 (+ (: 1 f32) (differs x))))

; The error is in the definition; notes name the calls.
; CHECK: :{{[0-9]+}}:19: error[type-literal-range]: `0.5` cannot be a literal of type !llvm.ptr
; CHECK: :[[#@LINE+2]]:33: note: in this call of `half`, with x: !llvm.ptr
; CHECK: hint: literals are integers, index, floats, and vectors and tensors of them
(defn pointer [(: p !llvm.ptr)] (half p))
; The same error for other types is not repeated, and calls with the types of one that failed report nothing.
(defn pointer-again [(: p !llvm.ptr)] (half p))
; CHECK: :{{[0-9]+}}:19: error[type-mismatch]: `*` works on numbers and vectors of them, not on memref<4xf32>
; CHECK: :{{[0-9]+}}:25: note: in this call of `half`, with x: memref<4xf32>
; CHECK: :[[#@LINE+2]]:36: note: in this call of `quarter`, with x: memref<4xf32>
; CHECK: hint: (memref.load m i ...) is an element of a memref
(defn nested [(: m memref<4xf32>)] (quarter m))
; CHECK: :{{[0-9]+}}:19: error[type-mismatch]: `*` works on numbers and vectors of them, not on memref<2xf32>
; CHECK: :{{[0-9]+}}:24: note: in this call of `half`, with x: memref<2xf32>
; CHECK: :[[#@LINE+2]]:38: note: in the expansion of `half-of`, called here
; CHECK: hint: (memref.load m i ...) is an element of a memref
(defn in-macro [(: m memref<2xf32>)] (half-of m))
; CHECK: :{{[0-9]+}}:31: error[op-operands]: `memref.load`: operand #0 must be memref of any type values, but got 'f32'
; CHECK: :[[#@LINE+2]]:25: note: in this call of `loaded`, with m: f32
; CHECK: hint: its operands are: f32, index
(defn of-op [(: x f32)] (loaded x))
; CHECK: :{{[0-9]+}}:25: error[type-mismatch]: `result` returns f32, and its last form has type f64
; CHECK: :[[#@LINE+2]]:28: note: in this call of `result`, with x: f64
; CHECK: hint: (cast f32 value) converts
(defn returned [(: x f64)] (result x))
; CHECK: :{{[0-9]+}}:41: error[type-mismatch]: `result-type` returns f16, and its last form has type f32
; CHECK: :[[#@LINE+2]]:37: note: in this call of `result-type`, with x: f32, to: f16
; CHECK: hint: (cast f16 value) converts
(defn returned-constant [(: x f32)] (result-type x :to f16))
; CHECK: :{{[0-9]+}}:38: error[type-parse]: `float` is no type: expected non-function type
; CHECK: :[[#@LINE+2]]:27: note: in this call of `result-type`, with x: f32, to: float
; CHECK: hint: did you mean `f32`?
(defn no-type [(: x f32)] (result-type x :to float))
; CHECK: :{{[0-9]+}}:25: error[call-type]: `grow` calls itself with new types or constants without end: with x: f32, n: 63, then with x: f32, n: 64
; CHECK: :{{[0-9]+}}:25: note: in this call of `grow`, with x: f32, n: 63
; CHECK: :{{[0-9]+}}:25: note: in this call of `grow`, with x: f32, n: 62
; CHECK: note: from 61 more calls
; CHECK: :[[#@LINE+2]]:31: note: in this call of `grow`, with x: f32, n: 0
; CHECK: hint: recursion ends where a call has the types and constants of one around it
(defn without-end [(: x f32)] (grow x))
; CHECK: :{{[0-9]+}}:22: error[call-type]: `early` calls itself before its results are known
; CHECK: :[[#@LINE+3]]:34: note: in this call of `early`, with x: f32
; CHECK: :{{[0-9]+}}:1: note: `early` is defined here
; CHECK: hint: give them after the parameters, -> type, or write the case that ends the recursion first
(defn before-results [(: x f32)] (early x))
; CHECK: :{{[0-9]+}}:19: error[type-mismatch]: `differs` returns f64, and where it calls itself f32 is expected
; CHECK: :[[#@LINE+2]]:33: note: in this call of `differs`, with x: f32
; CHECK: hint: give the results after the parameters: -> type
(defn other-results [(: x f32)] (differs x))

; Calls of generic functions with other arguments than they take.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect func memref vector)
(defn half [x] (* 0.5 x))
(defn two [x y] (+ x y))
(defn mixed [x (: n i8)] (* x n))
(defn apply [f x] (f x))
(defn typed [x (: g f32)] x)
(defn rebinds [f x] (def f x) f)
(defn plain [(: x f32)] -> f32 x)
(defn nothing [x] (for [i 0 3] x))

; The number of arguments, their types, and what they are.
; CHECK: :[[#@LINE+2]]:14: error[call-arity]: `two` takes 2 arguments, not 1
; CHECK: :{{[0-9]+}}:1: note: `two` is defined here
(defn few [] (two 1))
; CHECK: :[[#@LINE+2]]:24: error[call-arity]: `two` takes 2 arguments, not 3
; CHECK: :{{[0-9]+}}:1: note: `two` is defined here
(defn many [] (two 1 2 3))
; CHECK: :[[#@LINE+2]]:46: error[call-type]: argument 2 of `mixed` has type f32, not i8
; CHECK: :{{[0-9]+}}:19: note: the type of `n` is given here
(defn type-of-parameter [(: x f32)] (mixed x x))
; CHECK: :[[#@LINE+2]]:36: error[type-literal-range]: `300` is out of the range of i8
; CHECK: hint: i16 holds it, where that is written: (: 300 i16); as a float it is 300.0
(defn literal [(: x f32)] (mixed x 300))
; CHECK: :[[#@LINE+2]]:65: error[op-operands]: `vector.extract`: operand #1 must be variadic of index, but got 'f64'
; CHECK: hint: its operands are: vector<2xi32>, f64
(defn whole [(: i i32)] (vector.extract (: [1 2] vector<2xi32>) (apply half 1.5)))
; CHECK: :[[#@LINE+3]]:47: error[call-type]: `g` of `typed` cannot be a function
; CHECK: :{{[0-9]+}}:19: note: it has the type f32
; CHECK: hint: a parameter without a type takes functions
(defn function-for-typed [(: x f32)] (typed x half))
; CHECK: :[[#@LINE+2]]:49: error[call-type]: `f` of `rebinds` cannot be a function
; CHECK: :{{[0-9]+}}:1: note: the body gives the name `f` to another value
(defn function-for-rebound [(: x f32)] (rebinds half x))
; CHECK: :[[#@LINE+2]]:36: error[name-undefined]: `half` is not defined
; CHECK: hint: `half` is a generic function: call it with (half argument ...), or pass its name to another generic function
(defn function-for-plain [] (plain half))
; CHECK: :[[#@LINE+2]]:42: error[name-undefined]: `half` is not defined
; CHECK: hint: `half` is a generic function: call it with (half argument ...), or pass its name to another generic function
(defn function-as-value [(: x f32)] (+ x half))
; CHECK: :{{[0-9]+}}:20: error[parse-head]: `f` is a value of type f32, and not a function
; CHECK: :[[#@LINE+2]]:37: note: in this call of `apply`, with f: f32, x: f32
; CHECK: :{{[0-9]+}}:14: note: it is bound here
(defn value-as-function [(: x f32)] (apply x x))
; CHECK: :{{[0-9]+}}:19: error[macro-arity]: `pow` does not take 1 operands
; CHECK: :[[#@LINE+2]]:36: note: in this call of `apply`, with f: pow, x: f32
; CHECK: hint: write (pow x y)
(defn form-as-function [(: x f32)] (apply pow x))
; CHECK: :[[#@LINE+1]]:43: error[name-undefined]: `halve` is not defined
(defn unknown-function [(: x f32)] (apply halve x))
; CHECK: :[[#@LINE+1]]:33: error[name-no-value]: `nothing` produces no value
(defn no-value [(: x f32)] (+ 1 (nothing x)))
; CHECK: :[[#@LINE+2]]:29: error[parse-head]: unknown form `haf`
; CHECK: hint: did you mean `half`, `at` or `def`?
(defn misspelt [(: x f32)] (haf x))
; CHECK: :[[#@LINE+2]]:38: error[call-unknown]: there is no function `hlf`
; CHECK: hint: did you mean `half`?
(defn address [] (func.call {:callee @hlf} 1))

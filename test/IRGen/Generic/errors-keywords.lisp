; Keywords and their constants.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect func memref vector)
(defn half [x] (* 0.5 x))
(defn soft [x & {:axis -1 :keep false}] (* x axis))
(defn at [v & {:n 0}] (vector.extract v n))
(defn head [x & {:f abs}] (f x))
(defn plain [(: x f32)] -> f32 x)

; CHECK: :[[#@LINE+3]]:35: error[call-keyword]: `soft` has no keyword `:axes`
; CHECK: :{{[0-9]+}}:1: note: `soft` is defined here
; CHECK: hint: its keywords are :axis, :keep; did you mean `:axis`?
(defn unknown [(: x f32)] (soft x :axes 1))
; CHECK: :[[#@LINE+3]]:32: error[call-keyword]: `half` has no keyword `:axis`
; CHECK: :{{[0-9]+}}:1: note: `half` is defined here
; CHECK: hint: it takes no keywords
(defn none [(: x f32)] (half x :axis 1))
; CHECK: :[[#@LINE+3]]:42: error[call-keyword]: `plain` takes no keywords
; CHECK: :{{[0-9]+}}:1: note: `plain` is defined here
; CHECK: hint: a function declares them after its parameters: [a b & {:axis default}]
(defn none-in-plain [(: x f32)] (plain x :axis 1))
; CHECK: :[[#@LINE+2]]:52: error[call-keyword]: `:axis` is given twice
; CHECK: hint: its keywords are :axis, :keep
(defn again [(: x f32)] (soft x :axis 1 :keep true :axis 2))
; CHECK: :[[#@LINE+3]]:43: error[call-keyword]: `:axis` has no value
; CHECK: :{{[0-9]+}}:1: note: `soft` is defined here
; CHECK: hint: write :axis -1, or another constant; the keywords of `soft` are :axis, :keep
(defn last [(: x f32)] (soft x :keep true :axis))
; CHECK: :[[#@LINE+3]]:35: error[call-keyword]: `:axis` has no value
; CHECK: :{{[0-9]+}}:1: note: `soft` is defined here
; CHECK: hint: write :axis -1, or another constant; the keywords of `soft` are :axis, :keep
(defn between [(: x f32)] (soft x :axis :keep true))
; CHECK: :[[#@LINE+3]]:26: error[call-arity]: `soft` takes 1 argument, not 0
; CHECK: :{{[0-9]+}}:1: note: `soft` is defined here
; CHECK: hint: arguments stand before keywords: (soft argument ... :keyword value ...)
(defn before [(: x f32)] (soft :axis 1 x))
; CHECK: :[[#@LINE+2]]:41: error[call-arity]: `x` comes after the keywords
; CHECK: hint: write the arguments first: (soft argument ... :keyword value ...)
(defn after [(: x f32)] (soft x :axis 1 x))
; CHECK: :[[#@LINE+2]]:53: error[call-keyword]: `:axis` is a constant, and `n` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn running [(: x f32) (: n index)] (soft x :axis n))
; CHECK: :[[#@LINE+2]]:59: error[call-keyword]: `:axis` is a constant, and `n` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn computed [(: x f32) (: n index)] (soft x :axis (+ 1 n)))
; CHECK: :[[#@LINE+2]]:58: error[call-keyword]: `:axis` is a constant, and `n` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn of-vector [(: x f32) (: n index)] (soft x :axis [0 n]))
; CHECK: :[[#@LINE+2]]:40: error[call-keyword]: `:axis` is a constant, and `(half 2)` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn called [(: x f32)] (soft x :axis (half 2)))
; CHECK: :[[#@LINE+2]]:42: error[call-keyword]: `:axis` is a constant, and `(* 4294967296 4294967296)` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn overflow [(: x f32)] (soft x :axis (* 4294967296 4294967296)))
; CHECK: :[[#@LINE+2]]:42: error[call-keyword]: `:axis` is a constant, and `(/ 1 0)` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn division [(: x f32)] (soft x :axis (/ 1 0)))
; CHECK: :{{[0-9]+}}:41: error[type-literal-range]: `0.5` is no integer, and the type is index
; CHECK: :[[#@LINE+2]]:38: note: in this call of `at`, with v: vector<2xf32>, n: 0.5
; CHECK: hint: write an integer, or a float type such as f32
(defn fraction [(: v vector<2xf32>)] (at v :n 0.5))
; CHECK: :{{[0-9]+}}:23: error[op-operands]: `vector.extract`: expected position attribute #1 to be a non-negative integer smaller than the corresponding vector dimension or poison (-1)
; CHECK: :[[#@LINE+2]]:37: note: in this call of `at`, with v: vector<2xf32>, n: 2
; CHECK: hint: its operands are: vector<2xf32>
(defn outside [(: v vector<2xf32>)] (at v :n 2))
; CHECK: :{{[0-9]+}}:28: error[call-unknown]: `f` is 1 here, and not a function
; CHECK: :[[#@LINE+1]]:38: note: in this call of `head`, with x: f32, f: 1
(defn number-as-function [(: x f32)] (head x :f 1))
; CHECK: :{{[0-9]+}}:46: error[name-undefined]: `whatever` is not defined
; CHECK: :[[#@LINE+1]]:29: note: in this call of `soft`, with x: f32, axis: whatever, keep: false
(defn undefined [(: x f32)] (soft x :axis whatever))
(defn local [x & {:k other}] (let [y x] y))
; CHECK: :[[#@LINE+2]]:38: error[call-keyword]: `:k` cannot be `y`, the name of a value in `local`
; CHECK: :{{[0-9]+}}:1: note: `local` is defined here
(defn hidden [(: x f32)] (local x :k y))

; The messages of the expander, each with its place and what was expected.
; RUN: split-file %s %t
; RUN: not lispier --emit=core %t/top.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=TOP
; RUN: not lispier --emit=core %t/shapes.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=SHAPES
; RUN: not lispier --emit=core %t/functions.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=FUNCTIONS
; RUN: not lispier --emit=core %t/builtins.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=BUILTINS
; RUN: not lispier --emit=core %t/structs.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=STRUCTS
; RUN: not lispier --emit=core %t/defmacro.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=DEFMACRO
; RUN: not lispier --emit=core %t/running.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=RUNNING
; RUN: not lispier --emit=core %t/trace.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
; RUN: not lispier --emit=core %t/duplicates.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=DUPLICATES

;--- top.lisp
5
(if 1 2)
(defn f [] (require ["x" :as x]) () (5 6) (defn g [] 1))
; TOP: top.lisp:1:1: error[parse-head]: a number means nothing at the top level
; TOP: top.lisp:2:1: error[parse-head]: `if` stands inside a function, not at the top level
; TOP: hint: (defn main [] ...) has what a program does
; TOP: top.lisp:3:12: error[parse-head]: `require` stands at the top level, not inside another form
; TOP: top.lisp:3:34: error[parse-head]: an empty list means nothing
; TOP: top.lisp:3:38: error[parse-head]: a form begins with the name of what it does, not with a number
; TOP: top.lisp:3:43: error[parse-head]: `defn` stands at the top level

;--- shapes.lisp
(defn f []
  (if 1) (if {:result i32} 1)
  (def 5 1) (def [a "b"] 2) (def x)
  (let [a] 1) (let (a 1) 2)
  (block ^a [x (: y i64 z)]) (block [x (: x i64)]) (block [] ^late) (block [(: m (memref 4 f32))])
  (for [i 0] 1) (for ["i" 0 1] 1)
  (loop [v 1] :whil c :do v)
  (print 1 2) (print)
  (cast 5 x) (: 1 [i64])
  (source-path mini))
; SHAPES: shapes.lisp:2:3: error[macro-arity]: `if` takes 2 to 4 operands, got 1
; SHAPES-NEXT: (if 1) (if {:result i32} 1)
; SHAPES-NEXT: ^~~~~~
; SHAPES-NEXT: hint: expected (if {:result type}? condition then else?)
; SHAPES: shapes.lisp:2:10: error[macro-arity]: `if` takes a condition and one or two branches
; SHAPES: shapes.lisp:3:8: error[parse-def]: a value is bound to a name or to a vector of names, not to 5
; SHAPES: shapes.lisp:3:18: error[parse-def]: a value is bound to a name or to a vector of names, not to [a "b"]
; SHAPES: shapes.lisp:3:29: error[macro-arity]: `def` takes 2 operands, got 1
; SHAPES: shapes.lisp:4:9: error[parse-let]: `a` has no value beside it
; SHAPES: shapes.lisp:4:20: error[parse-let]: `let` binds names in a vector, not in a list
; SHAPES: shapes.lisp:5:16: error[parse-block-arg]: an argument is written (: name type), not (: y i64 z)
; SHAPES: shapes.lisp:5:43: error[parse-block-arg]: the argument `x` is named twice
; SHAPES: shapes.lisp:5:62: error[parse-label]: the label of a block stands before its arguments and statements
; SHAPES: shapes.lisp:5:82: error[parse-block-arg]: (memref 4 f32) is no type
; SHAPES: hint: a memref's type is one word: memref<4xf32>, with ? for a size known later
; SHAPES: shapes.lisp:6:8: error[macro-shape]: the range of a `for` is [i low high] or [i low high step]
; SHAPES: shapes.lisp:6:23: error[parse-let]: a loop variable is a name or (: name type), not "i"
; SHAPES: shapes.lisp:7:3: error[macro-shape]: `loop` needs its variables, then :while
; SHAPES: shapes.lisp:8:10: error[macro-shape]: the first operand must be a string literal with printf directives, not a number
; SHAPES: shapes.lisp:8:15: error[macro-arity]: `print` needs something to print
; SHAPES: shapes.lisp:9:9: error[macro-shape]: `cast` expects a type (a symbol or a string) here, not a number
; SHAPES: shapes.lisp:9:19: error[macro-shape]: `:` expects a type (a symbol or a string) here, not a vector
; SHAPES: shapes.lisp:10:16: error[macro-shape]: `source-path` expects a string here, not a symbol

;--- functions.lisp
(defn f [x & 5] x)
(defn g [(: x i64) (: x i64)] x)
(defn h [])
(defn k [] -> i64)
(defn 5 [] 1)
(extern-fn e [i64])
(extern :other)
(def-string s 5)
(deftemplate gelu {:for [cpu]} [(: x i64)] x)
; FUNCTIONS: functions.lisp:1:14: error[parse-block-arg]: after `&` stands one map of keywords with their default values: & {:axis -1}
; FUNCTIONS: functions.lisp:2:23: error[parse-block-arg]: the argument `x` is named twice
; FUNCTIONS: functions.lisp:3:1: error[macro-arity]: the function `h` has no body
; FUNCTIONS: functions.lisp:4:1: error[macro-arity]: the function `k` has no body
; FUNCTIONS: functions.lisp:5:7: error[macro-shape]: `defn` expects a name here, not a number
; FUNCTIONS: functions.lisp:6:14: error[macro-shape]: a function type is written (-> [argument-types] [result-types]), not [i64]
; FUNCTIONS: functions.lisp:7:9: error[macro-shape]: the only set of built-in functions is :value-ffi, not :other
; FUNCTIONS: functions.lisp:8:15: error[macro-shape]: `def-string` expects a string here, not a number
; FUNCTIONS: functions.lisp:9:14: error[macro-shape]: `deftemplate` expects the name of an op here, not a symbol

;--- builtins.lisp
(defn f []
  (+i 1) (when c)
  (cond c 1) (cond c 1 d 2) (cond c 1 :else 2 d 3 :else 4)
  (call i64) (call i64 5) (ptr-offset !llvm.ptr p n))
; BUILTINS: builtins.lisp:2:3: error[macro-arity]: `+i` takes 2 arguments, got 1
; BUILTINS-NEXT: (+i 1) (when c)
; BUILTINS-NEXT: ^~~~~~
; BUILTINS-NEXT: hint: expected (+i a b)
; BUILTINS: builtins.lisp:2:10: error[macro-arity]: `when` takes 2 or more arguments, got 1
; BUILTINS: builtins.lisp:3:9: error[macro-shape]: `cond`: the last clause must be :else with a value
; BUILTINS: hint: expected (cond {:result type}? condition value ... :else value)
; BUILTINS: builtins.lisp:3:24: error[macro-shape]: `cond`: the last clause must be :else with a value
; BUILTINS: builtins.lisp:3:39: error[macro-shape]: `cond`: :else comes last
; BUILTINS: builtins.lisp:4:3: error[macro-arity]: `call` takes 2 or more arguments, got 1
; BUILTINS: builtins.lisp:4:24: error[macro-shape]: `call`: the function is given by its name
; BUILTINS: builtins.lisp:4:51: error[macro-shape]: `ptr-offset`: the offset is a number of bytes

;--- structs.lisp
(defstruct Point [x i64] [y i64])
(defstruct Bad [x i64] [x i32] y)
(defn f [] (new Pint) (new Point 1) (Point/z p) (Point/x) (Point/x! p) (Pont/x p))
; STRUCTS: structs.lisp:2:24: error[macro-shape]: the field `x` is there twice
; STRUCTS: structs.lisp:3:17: error[macro-unknown]: there is no struct `Pint`
; STRUCTS: hint: did you mean `Point`?
; STRUCTS: structs.lisp:3:23: error[macro-arity]: `Point` has 2 fields, got 1 values
; STRUCTS: structs.lisp:1:1: note: the struct is defined here
; STRUCTS: structs.lisp:3:38: error[macro-unknown]: the struct `Point` has no field `z`; its fields are x, y
; STRUCTS: structs.lisp:3:49: error[macro-arity]: `Point/x` takes 1 operand, got 0
; STRUCTS: structs.lisp:3:59: error[macro-arity]: `Point/x!` takes 2 operands, got 1
; STRUCTS: hint: expected (Point/x! pointer value)
; STRUCTS: structs.lisp:3:73: error[macro-unknown]: `Pont` is no struct and no required file or dialect

;--- defmacro.lisp
(defmacro let [x] x)
(defmacro 5 [x] x)
(defmacro m [x])
(defmacro m [x & y z] x)
(defmacro m [5] x)
(defmacro absent)
(defn block [x] x)
; DEFMACRO: defmacro.lisp:7:7: error[macro-shape]: `block` is reserved and cannot be a function
; DEFMACRO: defmacro.lisp:1:11: error[macro-shape]: `let` is reserved and cannot be a macro
; DEFMACRO: defmacro.lisp:2:11: error[macro-shape]: a macro's name is a symbol, not a number
; DEFMACRO: defmacro.lisp:3:1: error[macro-shape]: the macro `m` needs a vector of parameters and a body
; DEFMACRO: defmacro.lisp:4:16: error[macro-shape]: one name comes after `&`, for the rest of the operands
; DEFMACRO: defmacro.lisp:5:14: error[macro-shape]: a parameter is a name or a vector of names
; DEFMACRO: defmacro.lisp:6:1: error[macro-unknown]: there is no function `absent` to be a macro

;--- running.lisp
(defmacro m [a b & r] (frist a))
(defmacro none [] nil)
(defmacro types [x] (+ 1 x))
(defmacro stop "(stop form)" [x] (error "no good" x))
(defmacro endless [] ((fn f [] (f))))
(defmacro huge [] (range 10000000))
(defmacro deep [] (reduce (fn [a x] (list a)) nil (range 1000)))
(defmacro function [] first)
(defmacro splice [x] `(f ~@x))
(defn f [] (m 1) (m 1 2) (none) (types "a") (stop 7) (endless) (huge) (deep) (function) (splice 5))
(defmacro asks [] (target-has? :wgmma))
(defmacro zero [] (quotient 1 0))
(defn g [] (asks) (zero))
; RUNNING: running.lisp:10:12: error[macro-arity]: `m` takes 2 or more arguments, got 1
; RUNNING: running.lisp:1:1: note: the macro is defined here
; RUNNING: hint: its parameters are [a b & r]
; RUNNING: running.lisp:10:18: error[macro-unknown]: in the macro `m`: `frist` is not known while macros run; did you mean `first`
; RUNNING: running.lisp:1:24: note: the macro fails here
; RUNNING: running.lisp:10:26: error[macro-null]: the macro `none` yields nothing
; RUNNING: running.lisp:10:33: error[macro-shape]: in the macro `types`: a number is needed here, not `"a"`
; The author's own message stands at the operand that it names.
; RUNNING: running.lisp:10:51: error[macro-shape]: `stop`: no good
; RUNNING: running.lisp:10:54: error[macro-depth]: in the macro `endless`: calls at macro time nest deeper than 800
; RUNNING: running.lisp:10:64: error[macro-depth]: in the macro `huge`: it does not end within 2000000 steps
; RUNNING: running.lisp:10:71: error[macro-depth]: in the macro `deep`: it makes forms that nest deeper than 500
; RUNNING: running.lisp:10:78: error[macro-shape]: in the macro `function`: a function is no form
; RUNNING: running.lisp:10:89: error[macro-shape]: in the macro `splice`: `~@` needs a list or a vector, this is a number
; RUNNING: running.lisp:13:12: error[macro-shape]: in the macro `asks`: what the target can do is not known here: the macros of a program serve all its targets
; RUNNING: running.lisp:13:19: error[macro-shape]: in the macro `zero`: `quotient` by zero

;--- trace.lisp
(defmacro outer [x] `(inner (if ~x)))
(defmacro inner [x] `(when true ~x))
(defmacro again [x] `(again (do ~x ~x)))
(defn f [] (outer 1))
(defn g [] (again 1))
; The place is the text that is wrong; the notes lead to the call that brought it there.
; TRACE: trace.lisp:1:29: error[macro-arity]: `if` takes 2 to 4 operands, got 1
; TRACE: trace.lisp:4:12: note: in the expansion of `outer`, called here
; TRACE: trace.lisp:5:12: error[macro-depth]: macro calls nest deeper than 100: ... -> again -> again
; TRACE: hint: a macro that calls itself must reach a case where it does not

;--- duplicates.lisp
(defn f [] 1)
(func.func {:sym_name "f" :function_type (-> [] [])} (do (func.return)))
(extern-fn g (-> [i64] []))
(extern-fn g (-> [i64] []))
(defn g [(: x i64)] x)
(require-dialect func)
; DUPLICATES: error[read-dialect]
; DUPLICATES: duplicates.lisp:2:1: error[mod-dup-symbol]: `f` is defined twice
; DUPLICATES: duplicates.lisp:1:1: note: the first definition
; Declaring again is no defining.
; DUPLICATES-NOT: error[

; Names, literals and types that do not hold, each at its place.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect arith scf memref func gpu)

; Signatures are read before bodies.
; CHECK: :[[#@LINE+3]]:26: error[type-parse]: `int` is no type: expected non-function type
; CHECK: {{^ {27}\^~~$}}
; CHECK: hint: did you mean `i32`?
(defn unknown-type [(: x int)] x)
; CHECK: :[[#@LINE+2]]:39: error[type-parse]: `memref<4xf32` is no type: expected ',' or '>' in memref type
; CHECK: {{^ {40}\^~$}}
(defn unclosed-type [(: x "memref<4xf32")] x)

; CHECK: :[[#@LINE+2]]:32: error[name-undefined]: `y` is not defined
; CHECK: {{^ {33}\^$}}
(defn undefined [] -> i64 (+ 1 y))
; CHECK: :[[#@LINE+2]]:41: error[name-undefined]: `A` is not defined
; CHECK: hint: (: A type) checks the type of a value that there is; a parameter is declared in the vector of defn,
(defn undeclared [] -> i64 (+ 1 (+ 2 (: A i64))))
; CHECK: :[[#@LINE+5]]:3: error[name-undefined]: `inner` is not visible here
; CHECK: {{^ {4}\^~~~~$}}
; CHECK: :[[#@LINE+2]]:26: note: it is defined here, in another region or later
(defn hidden [(: c i1)] -> i64
  (scf.if c (region (def inner (: 1 i64)) (scf.yield)))
  inner)
; CHECK: :[[#@LINE+5]]:26: error[name-undefined]: `later` is not visible here
; CHECK: :[[#@LINE+5]]:8: note: it is defined here, in another region or later
; CHECK: :[[#@LINE+6]]:33: error[name-undefined]: `last` is not visible here
; CHECK: :[[#@LINE+6]]:11: note: it is defined here, in another region or later
(defn early []
  (def first (arith.addi later 1))
  (def later 2))
(defn early-in-a-region [(: c i1)]
  (scf.if c (region (arith.addi last 1)
    (def [last] (arith.addi 1 2)) (scf.yield))))
; CHECK: :[[#@LINE+4]]:10: error[name-no-value]: `memref.store` produces no value
; CHECK: {{^ {11}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: write it without a name
(defn nothing [(: m memref<2xf32>)]
  (def x (memref.store (: 1.0 f32) m 0)))
; CHECK: :[[#@LINE+3]]:8: error[parse-def]: 3 names for 2 values: f32, i1
; CHECK: {{^ {9}\^~~~~~~$}}
(defn count [(: v f32) (: i i32)]
  (def [a b c] (gpu.shuffle {:mode "xor"} v i i)))
; CHECK: :[[#@LINE+3]]:9: error[parse-let]: 2 names for 1 values: i64
; CHECK: {{^ {10}\^~~~~$}}
(defn let-count []
  (let [[a b] (: 1 i64)] (+ a b)))

; CHECK: :[[#@LINE+2]]:19: error[type-literal-range]: `300` is out of the range of i8
; CHECK: {{^ {20}\^~~$}}
(defn range [] (: 300 i8))
; CHECK: :[[#@LINE+2]]:24: error[type-literal-range]: `0x1ff` is out of the range of i8
; CHECK: {{^ {25}\^~~~~$}}
(defn wide-range [] (: 0x1ff i8))
; CHECK: :[[#@LINE+3]]:22: error[type-literal-range]: `1.5` is no integer, and the type is i32
; CHECK: {{^ {23}\^~~$}}
; CHECK: hint: write an integer, or a float type such as f32
(defn fraction [] (: 1.5 i32))
; CHECK: :[[#@LINE+2]]:24: error[type-literal-range]: `1` cannot be a literal of type memref<2xf32>
; CHECK: {{^ {25}\^$}}
(defn no-literal [] (: 1 memref<2xf32>))
; CHECK: :[[#@LINE+3]]:21: error[type-literal-range]: `1` cannot be a literal of type !llvm.ptr
; CHECK: {{^ {22}\^$}}
; CHECK: hint: literals are integers, index, floats, and vectors and tensors of them
(defn pointer [] (: 1 !llvm.ptr))
; CHECK: :[[#@LINE+3]]:49: error[type-literal-range]: `1` needs a type: its neighbour has type memref<2xf32>
; CHECK: {{^ {50}\^$}}
; CHECK: hint: write (: 1 i64), or the type that is meant
(defn bare [(: m memref<2xf32>)] (memref.copy m 1))
; CHECK: :[[#@LINE+3]]:34: error[type-mismatch]: the value has type i32, not i64
; CHECK: {{^ {35}\^~~~~~~~~$}}
; CHECK: hint: (cast i64 value) converts
(defn checked [(: x i32)] -> i64 (: x i64))

; CHECK: :[[#@LINE+4]]:16: error[parse-head]: a number alone does nothing
; CHECK: {{^ {17}\^$}}
; CHECK: :[[#@LINE+2]]:18: error[parse-head]: a string alone does nothing
; CHECK: {{^ {19}\^~~$}}
(defn loose [] 3 "s" (func.return))
; CHECK: :[[#@LINE+3]]:27: error[op-operands]: a string cannot be an operand of `arith.addi`
; CHECK: {{^ {28}\^~~$}}
; CHECK: hint: (cstring "text") is a pointer to a text
(defn text [] (arith.addi "x" 3) (func.return))

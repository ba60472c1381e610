; Bits of what has none, and counts outside of a type.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
; CHECK: :[[#@LINE+3]]:44: error[type-mismatch]: `bit-and` works on integers, and vectors and tensors of them, not on f32
; CHECK: {{^ {45}\^$}}
; CHECK: hint: (cast i32 value) converts; (bits value) has the bits of a float
(defn float [(: x f32) (: i i32)] (bit-and x x))
; CHECK: :[[#@LINE+1]]:58: error[type-mismatch]: `bit-xor` works on integers, and vectors and tensors of them, not on f32 [? 3]
(defn tensor-of-floats [(: t (tensor n 3 f32))] (bit-xor t t))
; CHECK: :[[#@LINE+1]]:38: error[type-mismatch]: `shift-left` works on integers, and vectors and tensors of them, not on i1
(defn boolean [(: b i1)] (shift-left b b))
; CHECK: :[[#@LINE+1]]:48: error[type-literal-range]: `shift-left` of i32 shifts by 0 to 31, not by 32
(defn far [(: i (tensor n i32))] (shift-left i 32))
; CHECK: :[[#@LINE+1]]:38: error[type-literal-range]: `shift-right` of i8 shifts by 0 to 7, not by -1
(defn back [(: i i8)] (shift-right i -1))
; CHECK: :[[#@LINE+1]]:43: error[type-mismatch]: `bit-or` takes operands of one type, and these have types i32 and i64
(defn two [(: i i32) (: k i64)] (bit-or i k))
; CHECK: :[[#@LINE+1]]:44: error[type-mismatch]: `bits` works on numbers, and vectors and tensors of them, not on memref<4xf32>
(defn memory [(: m "memref<4xf32>")] (bits m))
; CHECK: :[[#@LINE+1]]:46: error[type-mismatch]: `bit-width` works on numbers, and vectors and tensors of them, not on !llvm.ptr
(defn pointer [(: p "!llvm.ptr")] (bit-width p))

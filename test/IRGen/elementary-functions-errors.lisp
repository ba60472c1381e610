; Elementary functions of what has none.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
; CHECK: :[[#@LINE+3]]:32: error[type-mismatch]: `exp` works on floats and vectors of them, not on i32
; CHECK: {{^ {33}\^$}}
; CHECK: hint: (cast f32 value) converts
(defn integer [(: i i32)] (exp i))
; CHECK: :[[#@LINE+2]]:41: error[type-mismatch]: `sqrt` works on floats and vectors of them, not on i8 [2]
; CHECK: hint: (cast f32 value) converts
(defn vector [(: v vector<2xi8>)] (sqrt v))
; CHECK: :[[#@LINE+1]]:42: error[type-mismatch]: `tanh` works on floats and vectors of them, not on memref<4xf32>
(defn memory [(: m memref<4xf32>)] (tanh m))
; CHECK: :[[#@LINE+1]]:38: error[type-mismatch]: `abs` works on numbers and vectors of them, not on !llvm.ptr
(defn pointer [(: p !llvm.ptr)] (abs p))
; CHECK: :[[#@LINE+2]]:42: error[type-mismatch]: `pow` takes operands of one type, and these have types f32 and i32
; CHECK: hint: (cast f32 value) converts
(defn power [(: x f32) (: i i32)] (pow x i))

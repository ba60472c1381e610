; Ops and forms that stand in a `module`, outside of functions: MLIR takes any but terminators, and nothing runs them.
; RUN: split-file %s %t
; RUN: lispier --emit=module %t/ops.lisp | FileCheck %s
; RUN: lispier run %t/ops.lisp | FileCheck %s --check-prefix=RESULT
; RUN: not lispier run %t/effects.lisp 2>&1 | FileCheck %s --check-prefix=EFFECTS
; RUN: not lispier check %t/errors.lisp 2>&1 | FileCheck %s --check-prefix=ERRORS
;--- ops.lisp
; CHECK: module {
; CHECK-NEXT: %[[A:.*]] = arith.constant 2 : i32
; CHECK-NEXT: %[[B:.*]] = arith.constant 3 : i32
; CHECK-NEXT: arith.addi %[[A]], %[[B]] : i32
; CHECK-NEXT: func.func @main
; CHECK: arith.constant 4 : i64
; RESULT: {{^7$}}
(require-dialect arith)
(module
  (do
    (def a (arith.constant {:value 2 :result i32}))
    (let [b (: 3 i32)] (arith.addi a b))
    (defn main [] -> i64 7)
    (arith.constant {:value 4 :result i64})))
;--- effects.lisp
; EFFECTS: effects.lisp:3:3: error[mlir]: this stands outside of functions, where nothing runs it
(module
  (println "never")
  (defn main [] -> i64 7))
;--- errors.lisp
; ERRORS: errors.lisp:5:3: error[parse-head]: a terminator stands in a function
(require-dialect arith llvm)
(module
  (arith.constant {:value 2 :result i32})
  (llvm.unreachable))
; ERRORS: errors.lisp:7:10: error[attr-unknown]: a module has no attribute `:nonsense`
(module {:nonsense 3 :sym_name "m"})
; ERRORS: hint: its own are: sym_name, sym_visibility; all others belong to a dialect
; ERRORS: error[parse-head]: `arith.constant` stands in a function
(arith.constant {:value 2 :result i32})

; The forms on tiles give way to functions of those names, of this file and of files that it requires, and to the macros
; of this file.
; RUN: lispier --emit=module %s | FileCheck %s
(require ["./Inputs/functions.lisp" :as lib])
(defmacro store [a] `(+ ~a 1))
(defn exp [(: a i64)] -> i64 (* a a))

; CHECK-LABEL: func.func @main
; CHECK: call @sum
; CHECK: call @load
; CHECK: call @exp
; CHECK: math.log
; CHECK: arith.addi
(defn main [] -> i64
  (def n (exp (load (sum 1 2))))
  (log (cast f64 n))
  (store n))

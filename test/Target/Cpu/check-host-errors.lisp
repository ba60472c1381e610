; What is known to go wrong is an error of the compiler.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: not lispier run %t/zero.lisp 2>&1 | FileCheck %t/zero.lisp
; RUN: not lispier run --target=sim %t/zero.lisp 2>&1 | FileCheck %t/zero.lisp
; RUN: not lispier build %t/overflow.lisp -o %t/overflow 2>&1 | FileCheck %t/overflow.lisp

;--- zero.lisp
(defn main []
  ; CHECK: zero.lisp:[[#@LINE+1]]:18: error{{.*}}: integer division by zero
  (println "%ld" (/ 1 0)))

;--- overflow.lisp
(defn main []
  ; CHECK: overflow.lisp:[[#@LINE+1]]:17: error{{.*}}: integer division overflows: the least number by -1
  (println "%d" (/ (: -2147483648 i32) (: -1 i32))))

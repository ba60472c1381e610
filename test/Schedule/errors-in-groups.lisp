; A mistake in a kernel of several forms is reported at the form that makes it.
; RUN: not lispier run %s 2>&1 | FileCheck %s -DCODE=cpu-division
; RUN: not lispier run --target=sim %s 2>&1 | FileCheck %s -DCODE=sim-division
; RUN: not lispier run --target=sim:sm_80 %s 2>&1 | FileCheck %s -DCODE=sim-division
(defn divided [(: x (tensor n i32)) (: y (tensor n i32))]
  (+ 1
     ; CHECK: errors-in-groups.lisp:[[#@LINE+1]]:6: error[[[CODE]]]: integer division by zero
     (/ x y)))
(defn main [] (println (divided (iota i32 [4]) (iota i32 [4]))))

; Definitions of generic functions that no call could use.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+2]]:38: error[call-keyword]: `:a` cannot be `x`, the name of a value in `constant-of-parameter`
; CHECK: :[[#@LINE+1]]:1: note: `constant-of-parameter` is defined here
(defn constant-of-parameter [x & {:a x}] a)
; CHECK: :[[#@LINE+2]]:24: error[call-keyword]: `:a` is a constant, and `(cumsum 1)` is known only when the program runs
; CHECK: hint: constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them
(defn default [x & {:a (cumsum 1)}] x)
; CHECK: :[[#@LINE+2]]:12: error[main-signature]: the parameters of `main` have types: no call gives them
; CHECK: hint: write (defn main [] ...)
(defn main [x] x)
; CHECK: :[[#@LINE+3]]:33: error[parse-def]: `a` is a constant of `rebound`, and cannot name a value
; CHECK: :[[#@LINE+2]]:21: note: the keyword is here
; CHECK: hint: choose another name
(defn rebound [x & {:a 1}] (def a x) a)
; CHECK: :[[#@LINE+3]]:49: error[parse-def]: `a` is a constant of `rebound-in-loop`, and cannot name a value
; CHECK: :[[#@LINE+2]]:29: note: the keyword is here
; CHECK: hint: choose another name
(defn rebound-in-loop [x & {:a 1}] (fold [s 0] [a 0 3] (+ s a)))

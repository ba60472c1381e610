; Parameters that are none.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+2]]:18: error[parse-block-arg]: the keyword `:x` has the name of a parameter
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn same [x & {:x 1}] x)
; CHECK: :[[#@LINE+2]]:16: error[parse-block-arg]: the argument `x` is named twice
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn twice [x x] x)
; CHECK: :[[#@LINE+2]]:17: error[parse-block-arg]: after `&` stands one map of keywords with their default values: & {:axis -1}
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn no-map [x &] x)
; CHECK: :[[#@LINE+2]]:22: error[parse-block-arg]: after `&` stands one map of keywords with their default values: & {:axis -1}
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn no-vector [x & [a 1]] x)
; CHECK: :[[#@LINE+2]]:26: error[parse-block-arg]: after `&` stands one map of keywords with their default values: & {:axis -1}
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn behind [x & {:a 1} y] x)
; CHECK: :[[#@LINE+2]]:18: error[parse-block-arg]: an argument is written (: name type), not 5
; CHECK: hint: expected (defn name [(: parameter type) parameter ... & {:keyword default ...}] -> type body ...)
(defn neither [x 5] x)
; CHECK: :[[#@LINE+2]]:20: error[parse-block-arg]: the parameter `x` has no type: write (: x type)
; CHECK: hint: expected (defkernel name [(: parameter type) ...] body ...)
(defkernel kernel [x] (do))
; CHECK: :[[#@LINE+4]]:32: error[parse-block-arg]: the parameter `&` has no type: write (: & type)
; CHECK: hint: expected (defkernel name [(: parameter type) ...] body ...)
; CHECK: :[[#@LINE+2]]:34: error[parse-block-arg]: an argument is written (: name type), not {:a 1}
; CHECK: hint: expected (defkernel name [(: parameter type) ...] body ...)
(defkernel keywords [(: x f32) & {:a 1}] (do))

; RUN: lispier show-expanded %s | FileCheck %s --match-full-lines

; Every kind of form can stand in a template.
(require-dialect arith)
(defmacro kinds [x & xs] `(show "s" :k 1.5 true nil [~x ~@xs] {:a ~x :b [~@xs]} (~@xs) ()))
; CHECK: (defn a [] (arith.constant {:value ("s" :k 1.5 true nil [1 2 3] {:a 1 :b [2 3]} (2 3) ())}))
(defmacro show [& body] `(arith.constant {:value ~body}))
(defn a [] (kinds 1 2 3))

; An unquote belongs to the innermost quasi-quote; ~~ reaches the outer one.
; CHECK-NEXT: (defn b [] (arith.constant {:value (quasiquote (a (unquote (b 7)) (unquote-splice (c 1 2)) (quasiquote ((unquote (unquote 7))))))}))
(defmacro nested [x] `(arith.constant {:value `(a ~(b ~x) ~@(c ~@[1 2]) `(~~~x))}))
(defn b [] (nested 7))

; A macro may define macros.
(defmacro make-adder [name n] `(defmacro ~name [x] `(+ ~x ~~n)))
(make-adder add5 5)
; CHECK-NEXT: (defn c [] (+ 1 5))
(defn c [] (add5 1))

; Several forms at the top level come in a `do`.
(defmacro constants [& names] `(do ~@(map (fn [n i] `(defn ~n [] -> i64 (: ~i i64))) names (range (count names)))))
; CHECK-NEXT: (defn red [] -> i64 (: 0 i64))
; CHECK-NEXT: (defn green [] -> i64 (: 1 i64))
(constants red green)

; RUN: lispier show-expanded %s | FileCheck %s

; x# is one new name for each use of the template: the caller's t is not caught.
(defmacro twice [e] `(let [t# ~e] (+ t# t#)))
; CHECK: (defn a [(: t i64)] (let [[[T1:t%[0-9]+]] t] (+ [[T1]] [[T1]])) (let [[[T2:t%[0-9]+]] (let [[[T3:t%[0-9]+]] 1] (+ [[T3]] [[T3]]))] (+ [[T2]] [[T2]])))
(defn a [(: t i64)] (twice t) (twice (twice 1)))
(defmacro fresh [] (let [n (gensym "v")] `(let [~n 1] ~n)))
; CHECK-NEXT: (defn b [] (let [[[V:v%[0-9]+]] 1] [[V]]))
(defn b [] (fresh))

; A user's macro, and a user's function, win over what the language brings, reserved names apart.
(defmacro max [a b] `(mine ~a ~b))
(defn when [(: a i64) (: b i64)] -> i64 a)
(defn print [(: x i64)] -> i64 x)
; CHECK: (defn c [] (mine 1 2) (when 1 2) (func.call {:callee @print} 5))
(defn c [] (max 1 2) (when 1 2) (print 5))

; Even so the language's own macros mean the language: `cond` is made of the real `if`.
(defn if [(: a i64)] -> i64 a)
; CHECK: (defn d [] (func.call {:callee @if} 1) (if x y x))
(defn d [] (if 1) (cond x y :else x))

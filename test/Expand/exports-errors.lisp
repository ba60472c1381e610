; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn pair [x y] (+ x y))
; CHECK: :[[#@LINE+1]]:9: error[macro-shape]: `export` expects the name of a function, or (function type ...) here, not a number
(export 3)
; CHECK: :[[#@LINE+1]]:15: error[macro-shape]: `export` expects a type (a symbol or a string) here, not a number
(export (pair 3 f32))
; CHECK: :[[#@LINE+1]]:23: error[macro-shape]: `export` expects a keyword and its value here, not a keyword
(export (pair f32 f32 :as))
; CHECK: :[[#@LINE+3]]:9: error[export-types]: `pair` has 2 parameters, and there is 1 type
; CHECK: note: `pair` is defined here
; CHECK: hint: (export (pair type ...)) has a type for each parameter
(export (pair f32))

; The lines of a kernel are the user's: what a function of the library does is at its call, and lines of other files
; stand behind their name.
;
; RUN: lispier run --explain %s 2>&1 | FileCheck %s
; CHECK: shares.lisp:1:{{[0-9]+}}: kernel main_1, row: line 1; explain-lines.lisp: lines [[# @LINE + 6]], [[# @LINE + 7]]{{$}}
; CHECK: f32 [] 2
(require ["./Inputs/shares.lisp" :as shares])
(require-macros "./Inputs/shares.lisp")

(defn smoothed [(: x (tensor r c f32))]
  (def y (+ 1.0 (shares/shares x)))
  (softmax y))

(defn main []
  (def x (reshape (iota f32 [8]) [2 4]))
  (println (sum (smoothed x))))

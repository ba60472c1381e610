; Rules of the program's own, here 2 and 10 times too large, so that it is seen that they are used: in straight code and in
; loops, with constants and integers; a function with a rule computes as before. A rule has a gradient for each parameter
; of floats.
; RUN: split-file %s %t
; RUN: lispier run %t/rules.lisp | FileCheck %t/rules.lisp
; RUN: not lispier run %t/wrong.lisp 2>&1 | FileCheck %t/wrong.lisp
; RUN: not lispier run %t/form.lisp 2>&1 | FileCheck %t/form.lisp
;--- rules.lisp
(defn soft [x & {:axis -1}] (softmax x :axis axis))
(defgrad soft [x & {:axis -1}]
  :saves [y (soft x :axis axis)]
  :grad [dy] [(* 2.0 y (- dy (sum (* dy y) :axis axis :keep true)))])
(defn scaled [(: x (tensor n f32)) (: k i32) (: f (tensor n f32))] -> (tensor n f32) (* x f (cast f32 k)))
(defgrad scaled [(: x (tensor n f32)) (: k i32) (: f (tensor n f32))]
  :grad [dy] [(* dy f (cast f32 k)) (* 10.0 dy x)])
(defn once [x w] (sum (* w (soft x :axis 0))))
(defn twice [x w] (sum (* w (fold [s x] [i 0 2] (soft s)))))
(defn product [x f] (sum (scaled x 3 f)))
(defn main []
  (def [x w] [(sin (iota f32 [4])) (cos (iota f32 [4]))])
  ; CHECK: [0.143804 0.333593 0.357004 0.165599]
  (println (soft x))
  ; CHECK: [0.28429 0.352785 -0.30537 -0.331705]
  (println (grad once x w))
  ; CHECK: [0.127974 0.191555 -0.168592 -0.150936]
  (println (grad twice x w))
  ; CHECK: [0 8.41471 9.09297 1.4112]
  (println (grad product x w :wrt 1))
  ; CHECK: [3 1.62091 -1.24844 -2.96998]
  (println (grad product x w)))
;--- wrong.lisp
; CHECK: :[[#@LINE+3]]:1: error[grad-rule]: the gradients of `f` are f32 [3], and its parameters of floats f32 [3], f32 [3]
; CHECK: hint: a gradient for each parameter of floats, with its type and its sizes
(defn f [x y] (* x y))
(defgrad f [x y] :grad [dy] [(* dy y)])
; CHECK: :[[#@LINE+2]]:1: error[grad-rule]: `g` has 1 parameters and 1 results, and this rule takes 2 parameters and the cotangent of one result
(defn g [x] (* x x))
(defgrad g [x y] :grad [dy] [dy])
(defn loss [x] (+ (sum (f x x)) (sum (g x))))
(defn main [] (println (grad loss (zeros f32 [3]))))
; CHECK: :[[#@LINE+2]]:1: error[grad-rule]: `softmax` is no function of this file, and cannot have a rule here
; CHECK: hint: write a function that calls it, and a rule of that
(defgrad softmax [x] :grad [dy] [dy])
;--- form.lisp
; CHECK: :[[#@LINE+1]]:10: error[macro-shape]: `defgrad`: a rule is (defgrad f [x ...] :saves [name value ...]
(defgrad h [x] [dy])

; Sizes that only the run knows of a seed, of a place to which a gradient is added, and of what a rule returns: they are
; compared with those of the value, the gradient and the parameter before the adjoint reads memory by them.
; RUN: split-file %s %t
; RUN: not lispier run %t/seed.lisp 2>&1 | FileCheck %t/seed.lisp
; RUN: not lispier run %t/into.lisp 2>&1 | FileCheck %t/into.lisp
; RUN: not lispier run %t/rule.lisp 2>&1 | FileCheck %t/rule.lisp
;--- seed.lisp
; CHECK: :[[#@LINE+6]]:38: error[tensor-size]: dimension 0 of the seed has the size 3, and that of the first result of `f` 2
; CHECK-NOT: {{^}}f32
(defn f [(: x (tensor n f32)) (: w (tensor m n f32))] (einsum "mn,n->m" w x))
(defn main [(: count i64) (: words !llvm.ptr)]
  (def n (+ 3 (cast index count)))
  (def [x w] [(full f32 [n] 1.0) (full f32 [(- n 1) n] 1.0)])
  (def [y d] (vjp f x w :wrt 1 :seed (+ 0.0 x)))
  (println d))
;--- into.lisp
; CHECK: :[[#@LINE+4]]:32: error[tensor-size]: dimension 0 of `:into` has the size 2, and that of the gradient 3
; CHECK-NOT: {{^}}f32
(defn loss [(: w (tensor n f32))] (sum (* w w)))
(defn step [(: w (tensor n f32)) (: d (inout (tensor m f32)))]
  (value-and-grad loss w :into d))
(defn main [(: count i64) (: words !llvm.ptr)]
  (def n (+ 2 (cast index count)))
  (def d (full f32 [n] 0.0))
  (step (full f32 [(+ n 1)] 1.0) d)
  (println d))
;--- rule.lisp
; CHECK: :[[#@LINE+4]]:1: error[tensor-size]: dimension 0 of gradient 2 of `f` has the size 3, and that of the parameter 2
; CHECK-NOT: {{^}}f32
(defn f [(: x (tensor n f32)) (: y (tensor m f32))] -> (tensor n f32) (* x (sum y)))
; The gradient of y is made as if it were one of x.
(defgrad f [(: x (tensor n f32)) (: y (tensor m f32))] :grad [dy] [dy x])
(defn loss [(: x (tensor n f32)) (: y (tensor m f32))] (sum (f x y)))
(defn main [(: count i64) (: words !llvm.ptr)]
  (def n (+ 2 (cast index count)))
  (println (grad loss (full f32 [(+ n 1)] 1.0) (full f32 [n] 1.0) :wrt 1)))

; What has no gradient: which argument, result or function, and the way from an op without one to the value.
; RUN: split-file %s %t
; RUN: not lispier check %t/forms.lisp 2>&1 | FileCheck %t/forms.lisp
; RUN: not lispier run %t/loop.lisp 2>&1 | FileCheck %t/loop.lisp
; RUN: not lispier run %t/recursive.lisp 2>&1 | FileCheck %t/recursive.lisp
; RUN: not lispier run %t/memory.lisp 2>&1 | FileCheck %t/memory.lisp
; RUN: lispier run %t/constant.lisp 2>&1 | FileCheck %t/constant.lisp
;--- forms.lisp
(defn square [(: x (tensor n f32))] (* x x))
(defn total [(: x (tensor n f32)) (: i (tensor n i32))] (sum x))
; CHECK: :[[#@LINE+20]]:3: error[grad-value]: the first result of `square` is f32 [?], and not one float
; CHECK: hint: return its mean or its sum, or write (vjp f argument ... :seed dy), dy like the result
; CHECK: :[[#@LINE+19]]:24: error[grad-wrt]: `total` has no argument 2
; CHECK: hint: write :wrt [0 2] for arguments 0 and 2, :wrt {{\[\[}}0 :field]] for a field of a record
; CHECK: :[[#@LINE+18]]:25: error[grad-wrt]: argument 1 is i32 [?]: only floats have gradients
; CHECK: :[[#@LINE+18]]:9: error[grad-function]: `grad` takes the name of a function of the program, which `x` is not
; CHECK: :[[#@LINE+18]]:9: error[grad-function]: `keeps` writes an argument, and has no gradient
; CHECK: hint: return the new value instead
; CHECK: :[[#@LINE+17]]:3: error[macro-shape]: `vjp` needs :seed
; CHECK: :[[#@LINE+17]]:23: error[grad-value]: the seed is f32 [2 2], and the first result of `square` is f32 [?]
; CHECK: :[[#@LINE+17]]:45: error[grad-into]: `:into` names 1 place for 2 gradients
; CHECK: :[[#@LINE+17]]:35: error[grad-into]: the gradient of f32 [?] does not go into i32 [?]
; CHECK: :[[#@LINE+17]]:26: error[grad-wrt]: `:v` is a field of no record
; CHECK: :[[#@LINE+17]]:36: error[record-field]: `Weights` has no field `v`
; CHECK: hint: its fields are w
(defrecord Weights [w (tensor n f32)])
(defn keeps [(: c (inout (tensor 2 f32)))] (update c (* 2.0 c) [0]) (sum c))
(defn weighed [(: m Weights)] (sum (:w m)))
(defn both [(: x (tensor n f32)) (: y (tensor n f32))] (sum (* x y)))
(defn use [(: x (tensor n f32)) (: k (tensor n i32)) (: d (inout (tensor n f32))) (: e (inout (tensor n i32)))]
  (grad square x)
  (grad total x k :wrt 2)
  (grad total x k :wrt [1])
  (grad x x)
  (grad keeps x)
  (vjp square x)
  (vjp square x :seed (zeros f32 [2 2]))
  (value-and-grad both x x :wrt [0 1] :into [d])
  (value-and-grad total x k :into e)
  (grad total x k :wrt [[:v]])
  (grad weighed (Weights x) :wrt [[:v]]))
;--- loop.lisp
; CHECK: :[[#@LINE+5]]:14: error[mlir]: the number of iterations of this loop is known only when it ends, so that it has no gradient
; CHECK: :[[#@LINE+5]]:10: note: the value depends on it here
; CHECK: :[[#@LINE+5]]:3: note: the value depends on it here
; CHECK: note: write `fold` over a number of steps, with `where` or `if` for those after the end
(defn loss [(: x (tensor n f32))]
  (def [a _] (loop [a x i 0] :while (< i 3) :do [(* a a) (+ i 1)]))
  (def b (* 2.0 a))
  (sum b))
(defn main [] (println (grad loss (zeros f32 [3]))))
;--- recursive.lisp
; CHECK: error[mlir]: this function has no gradient: it calls itself, or is external
(defn power [(: x (tensor n f32)) (: k i64)] -> (tensor n f32) (if (< k 1) x (* x (power x (- k 1)))))
(defn loss [(: x (tensor n f32)) (: k i64)] (sum (power x k)))
(defn main [] (println (grad loss (zeros f32 [3]) 2)))
;--- memory.lisp
; CHECK: :[[#@LINE+5]]:79: error[mlir]: this is read of memory into which the function has stored what depends on what its gradient is taken by
; CHECK: :[[#@LINE+4]]:74: note: the value depends on it here
; CHECK: :[[#@LINE+3]]:69: note: the value depends on it here
; CHECK: note: use the value itself, and not the memory
(require-dialect memref)
(defn stored [(: x (tensor 2 f32)) (: m memref<2xf32>)] (store x m) (sum (* x (load m))))
(defn main []
  (def m (memref.alloc {:result memref<2xf32>}))
  (println (grad stored (zeros f32 [2]) m)))
;--- constant.lisp
; What the function reads of memory that it has not written is a constant, too.
; CHECK: {{^}}[0 0]
; CHECK: {{^}}[5 5]
; CHECK: warning[mlir]: the value of `loss` does not depend on what its gradient is taken by: the gradient is 0
(defn loss [(: x (tensor 2 f32)) (: y (tensor 2 f32))] (sum y))
(require-dialect memref)
(defn read [(: x (tensor 2 f32)) (: m memref<2xf32>)] (sum (* x (load m))))
(defn main []
  (println (grad loss (full f32 [2] 3.0) (full f32 [2] 4.0)))
  (def m (memref.alloc {:result memref<2xf32>}))
  (store (full f32 [2] 5.0) m)
  (println (grad read (full f32 [2] 3.0) m)))

; Softmax, step 7: the formula.
;
; Two reductions and the elementwise ops around them, which are one kernel since they need the same rows. The compiler
; sees that the sum follows from the maximum so far, as in step 4, and reads the row twice. The library's (softmax x)
; is this function.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defn normalize [x]
  (let [e (exp (- x (max x :axis -1 :keep true)))]
    (/ e (sum e :axis -1 :keep true))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (normalize (load x)) y))

; CHECK: ok
(define-softmax step)

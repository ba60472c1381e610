; RMS norm, step 3: the formula.
;
; As in the paper. The reduction and the elementwise ops around it become one kernel, since they need the same rows;
; `lispier run --explain` shows it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./rms-norm.lisp" :as rms-norm] ["../ladder.lisp" :as ladder])
(require-macros "./rms-norm.lisp" "../ladder.lisp")

(defn normalize [x weight] (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)) weight))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: y memref<?x?xf32>)]
  (store (normalize (load x) (load weight)) y))

; CHECK: ok
(define-rms-norm step)

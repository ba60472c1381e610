; Layer normalisation, step 6: the formula.
;
; As in the paper. The two reductions and the elementwise ops between them become one kernel, since they need the same
; rows; `lispier run --explain` shows it. The library's (layer-norm x g b) is this function.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

(defn normalize [x weight bias]
  (let [d (- x (mean x :axis -1 :keep true))]
    (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)) weight) bias)))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (store (normalize (load x) (load weight) (load bias)) y))

; CHECK: ok
(define-layer-norm step)

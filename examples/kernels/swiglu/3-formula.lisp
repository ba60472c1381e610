; SwiGLU, step 3: the formula.
;
; Elementwise ops on the same elements are one kernel; the dimensions that they walk together are merged, so that a
; tile is a run of memory whatever the rows are.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./swiglu.lisp" :as swiglu] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu.lisp" "../ladder.lisp")

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (swiglu/gated (load gate) (load up)) y))

; CHECK: ok
(define-swiglu step)

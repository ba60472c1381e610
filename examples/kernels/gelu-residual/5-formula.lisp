; GELU and residual, step 5: the formula.
;
; Elementwise ops on the same elements are one kernel; the dimensions that they walk together are merged, so that a
; tile is a run of memory whatever the rows are.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math vector)
(require ["./gelu-residual.lisp" :as gelu-residual] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-residual.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (+ (load x) (gelu (load z))) y))

; CHECK: ok
(define-gelu-residual step)

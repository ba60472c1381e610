; GELU backward, step 4: the derivative of the formula.
;
; `vjp` differentiates the library's `gelu`. What it makes are elementwise ops on the same elements, and one kernel;
; the value, which nothing needs, is not computed.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./gelu-backward.lisp" :as gelu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-backward.lisp" "../ladder.lisp")

(defn activated [(: x (tensor n c f32))] (gelu x))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def [y of-x] (vjp activated (load x) :seed (load dy)))
  (store of-x dx))

; CHECK: ok
(define-gelu-backward step)

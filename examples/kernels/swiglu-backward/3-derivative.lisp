; SwiGLU backward, step 3: the derivative of the formula.
;
; `vjp` differentiates the formula of the ladder `swiglu` by both factors. The two results are on the same elements and
; read the same operands, and are one kernel (`lispier run --explain`).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./swiglu-backward.lisp" :as swiglu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu-backward.lisp" "../ladder.lisp")

(defn activated [(: gate (tensor n c f32)) (: up (tensor n c f32))] (* gate (sigmoid gate) up))

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
           (: dup memref<?x?xf32>)]
  (def [y of-gate of-up] (vjp activated (load gate) (load up) :seed (load dy) :wrt [0 1]))
  (store of-gate dgate)
  (store of-up dup))

; CHECK: ok
; CHECK-NEXT: ok
(define-swiglu-backward step)

; GELU backward, step 1: a thread an element.
;
; Neighbouring threads read and write neighbours, 4 bytes each, and each number moves once. Between two loads and a
; store there are a hyperbolic tangent and a dozen operations, which the memory is slow enough to hide.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./gelu-backward.lisp" :as gelu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-backward.lisp" "../ladder.lisp")

(defkernel back [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim x 1))
    (memref.store (* (memref.load dy row c) (gelu-backward/slope (memref.load x row c))) dx row c)))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim x 1) 255) 256) (memref.dim x 0)] :block [256]} x dy dx))

; CHECK: ok
(define-gelu-backward step)

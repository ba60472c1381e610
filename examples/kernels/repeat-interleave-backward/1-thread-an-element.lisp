; Repeat-interleave backward, step 1: a thread an element of dx.
;
; A thread adds the R numbers that were read from its own: no two threads write the same place, so that nothing is
; atomic, and neighbouring threads read neighbours of each of the R rows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./repeat-interleave-backward.lisp" :as repeat-interleave-backward] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave-backward.lisp" "../ladder.lisp")

(defkernel back [(: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: times index)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim dx 1))
    (memref.store (fold [s (: 0.0 f32)] [k 0 times] (+ s (memref.load dy (+ k (* row times)) c))) dx row c)))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: times index)]
  (launch back {:grid [(/ (+ (memref.dim dx 1) 255) 256) (memref.dim dx 0)] :block [256]} dy dx times))

; CHECK: ok
(define-repeat-interleave-backward step)

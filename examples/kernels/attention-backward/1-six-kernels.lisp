; Attention backward, step 1: six kernels.
;
; As in the formulas (score-kernels.lisp): a thread a score and a warp a row for the probabilities; the same for ds; a
; thread an element of dq, and of dk and dv. Probabilities and ds of all heads are in memory, 201 MB each at the shape
; that is measured, and are read five times. The sums for a key walk down a column of both, so that each number is a
; sector of its own, which the 64 threads of the block share.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./attention-backward.lisp" :as attention-backward] ["../ladder.lisp" :as ladder]
         ["./score-kernels.lisp" :as score-kernels])
(require-macros "./attention-backward.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (score-kernels/back x dy dx batch heads groups))

; CHECK: ok
(define-attention-backward step 1e-5)

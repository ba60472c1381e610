; Grouped attention backward, step 1: six kernels.
;
; Those of `attention-backward`: the kernel of dk and dv has a block for each key of a group, and sums over the heads
; that read it, too. Nothing is repeated, and nothing is atomic.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./grouped-attention-backward.lisp" :as grouped-attention-backward] ["../ladder.lisp" :as ladder]
         ["../attention-backward/attention-backward.lisp" :as attention-backward]
         ["../attention-backward/score-kernels.lisp" :as score-kernels])
(require-macros "./grouped-attention-backward.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (score-kernels/back x dy dx batch heads groups))

; CHECK: ok
(define-grouped-attention-backward step 1e-5)

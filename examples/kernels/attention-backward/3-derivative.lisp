; Attention backward, step 3: the derivative of the formula.
;
; Names of dimensions: b sequence, t and s token, h head, d number of a head. The compiler finds attention in the
; formula before it differentiates: the forward pass gives its result and the log of its sums, and the adjoint makes
; each probability again (lib/Differentiate). Factors are F32, and products as exact as those of step 1. With sizes that
; only the run knows, the adjoint is products and a row kernel with ds in memory; of BF16 heads of known sizes it is two
; kernels, as in step 2 (test/Differentiate/attention.lisp).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
(require-dialect memref math)
(require ["./attention-backward.lisp" :as attention-backward] ["../ladder.lisp" :as ladder])
(require-macros "./attention-backward.lisp" "../ladder.lisp")

(defn attend [x (: batch index) (: heads index)]
  (let [time (/ (dim x 0) batch)
        [q k v] (split (reshape x [batch time (* 3 heads) 64]) 3 :axis 2)
        scores (* 0.125 (einsum "bthd,bshd->bhts" q k))
        seen (<= (iota i32 [time]) (iota i32 [time 1] :axis 0))
        o (einsum "bhts,bshd->bthd" (softmax (where seen scores -inf)) v)]
    (reshape o [(* batch time) (* 64 heads)])))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (def [y of-x] (vjp attend (load x) batch heads :seed (load dy)))
  (store of-x dx))

; CHECK: ok
(define-attention-backward step 2e-5)

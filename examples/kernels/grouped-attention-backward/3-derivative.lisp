; Grouped attention backward, step 3: the derivative of the formula.
;
; Names of dimensions: b sequence, t and s token, g group, r head of a group, d number of a head. Keys and values lack
; the letter r, so that their gradients are sums over it; nothing is repeated.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
(require-dialect memref math)
(require ["./grouped-attention-backward.lisp" :as grouped-attention-backward] ["../ladder.lisp" :as ladder]
         ["../attention-backward/attention-backward.lisp" :as attention-backward])
(require-macros "./grouped-attention-backward.lisp" "../ladder.lisp")

(defn attend [x (: batch index) (: heads index) (: groups index)]
  (let [time (/ (dim x 0) batch)
        [q k v] (split (reshape x [batch time (+ heads groups groups) 64]) [heads groups groups] :axis 2)
        scores (* 0.125 (einsum "btgrd,bsgd->bgrts" (reshape q [batch time groups (/ heads groups) 64]) k))
        seen (<= (iota i32 [time]) (iota i32 [time 1] :axis 0))
        o (einsum "bgrts,bsgd->btgrd" (softmax (where seen scores -inf)) v)]
    (reshape o [(* batch time) (* 64 heads)])))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (def [y of-x] (vjp attend (load x) batch heads groups :seed (load dy)))
  (store of-x dx))

; CHECK: ok
(define-grouped-attention-backward step 2e-5)

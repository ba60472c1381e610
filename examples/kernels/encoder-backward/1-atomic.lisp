; Encoder backward, step 1: a thread an element, atomic additions.
;
; A thread adds its number to the row of its token and to that of its place, both by atomic additions, since other
; threads may add there, too: which is in the L2 cache, at half the speed of plain writes at best. Equal tokens are
; added in any order, so that two runs may differ by rounding.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./encoder-backward.lisp" :as encoder-backward] ["../ladder.lisp" :as ladder])
(require-macros "./encoder-backward.lisp" "../ladder.lisp")

(defkernel back [(: tokens memref<?xi32>) (: dy memref<?x?xf32>) (: dtable memref<?x?xf32>)
                 (: dpositions memref<?x?xf32>)]
  (def channels (memref.dim dy 1))
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def n (/ i channels))
  (def c (% i channels))
  (when (< n (memref.dim dy 0))
    (def d (memref.load dy n c))
    (atomic-add d dtable [(cast index (memref.load tokens n)) c])
    (atomic-add d dpositions [(% n (memref.dim dpositions 0)) c])))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: dy memref<?x?xf32>)
           (: dtable memref<?x?xf32>) (: dpositions memref<?x?xf32>)]
  (def elements (* (memref.dim dy 0) (memref.dim dy 1)))
  (launch back {:grid [(/ (+ elements 255) 256)] :block [256]} tokens dy dtable dpositions))

; CHECK: ok
; CHECK-NEXT: ok
(define-encoder-backward step)

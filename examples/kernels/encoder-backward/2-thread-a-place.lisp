; Encoder backward, step 2: a thread a place and channel.
;
; The gradient of a place is a sum over the texts, which one thread adds without an atomic addition; on its way it adds
; what it reads to the rows of the tokens. Half of the atomic additions are left.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./encoder-backward.lisp" :as encoder-backward] ["../ladder.lisp" :as ladder])
(require-macros "./encoder-backward.lisp" "../ladder.lisp")

(defkernel back [(: tokens memref<?xi32>) (: dy memref<?x?xf32>) (: dtable memref<?x?xf32>)
                 (: dpositions memref<?x?xf32>)]
  (def time (memref.dim dpositions 0))
  (def t (block-id :y))
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< c (memref.dim dy 1))
    (def sum (fold [s (memref.load dpositions t c)] [n t (memref.dim dy 0) time]
      (def d (memref.load dy n c))
      (atomic-add d dtable [(cast index (memref.load tokens n)) c])
      (+ s d)))
    (memref.store sum dpositions t c)))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: dy memref<?x?xf32>)
           (: dtable memref<?x?xf32>) (: dpositions memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 127) 128) (memref.dim dpositions 0)] :block [128]}
          tokens dy dtable dpositions))

; CHECK: ok
; CHECK-NEXT: ok
(define-encoder-backward step)

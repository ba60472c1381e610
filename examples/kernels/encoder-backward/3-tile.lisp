; Encoder backward, step 3: a tile program.
;
; Step 2 with a part of a row instead of a number.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./encoder-backward.lisp" :as encoder-backward] ["../ladder.lisp" :as ladder])
(require-macros "./encoder-backward.lisp" "../ladder.lisp")

(deftile back {:const [size] :warps 4}
  [(: tokens memref<?xi32>) (: dy memref<?x?xf32>) (: dtable memref<?x?xf32>) (: dpositions memref<?x?xf32>)]
  (def t (program-id 1))
  (def c (* size (program-id 0)))
  (def place (+ c (iota index [size])))
  (def sums (fold [s (load dpositions [t c] [1 size])] [n t (memref.dim dy 0) (memref.dim dpositions 0)]
    (def d (load dy [n c] [1 size]))
    (atomic-add (reshape d [size]) dtable [(cast index (memref.load tokens n)) place])
    (+ s d)))
  (store sums dpositions [t c]))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: dy memref<?x?xf32>)
           (: dtable memref<?x?xf32>) (: dpositions memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 255) 256) (memref.dim dpositions 0)] :const {:size 256}}
          tokens dy dtable dpositions))

; CHECK: ok
; CHECK-NEXT: ok
(define-encoder-backward step)

; RoPE backward, step 2: a tile program.
;
; One program turns some heads of a token back: the halves are two tiles, and the token's sines and cosines one row for
; all of them.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./rope-backward.lisp" :as rope-backward] ["../ladder.lisp" :as ladder]
         ["../rope/rope.lisp" :as rope])
(require-macros "./rope-backward.lisp" "../ladder.lisp")

(deftile turn-back {:const [heads half] :warps 4}
  [(: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: dy memref<?x?x?xf32>) (: dx memref<?x?x?xf32>)]
  (def t (program-id 0))
  (def h (* heads (program-id 1)))
  (def c (load cosines [t 0] [half]))
  (def s (load sines [t 0] [half]))
  (def a (load dy [t h 0] [heads half]))
  (def b (load dy [t h half] [heads half]))
  (store (+ (* a c) (* b s)) dx [t h 0])
  (store (- (* b c) (* a s)) dx [t h half]))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: dy memref<?x?x?xf32>)
           (: dx memref<?x?x?xf32>)]
  (launch turn-back
    {:grid [(memref.dim dy 0) (/ (+ (memref.dim dy 1) 31) 32)]
     :const {:heads 32 :half ((memref.dim cosines 1) :among [16 32])}}
    cosines sines dy dx))

; CHECK: ok
(define-rope-backward step)

; RoPE backward, step 1: a thread a pair.
;
; Step 2 of the ladder `rope` with the other sign of the sine: sines and cosines are from a table that stays in the L2
; cache, and x is not needed, since a rotation is linear.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./rope-backward.lisp" :as rope-backward] ["../ladder.lisp" :as ladder]
         ["../rope/rope.lisp" :as rope])
(require-macros "./rope-backward.lisp" "../ladder.lisp")

(defkernel turn-back
  [(: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: dy memref<?x?x?xf32>) (: dx memref<?x?x?xf32>)]
  (def half (memref.dim cosines 1))
  (def t (block-id :y))
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def h (/ i half))
  (def j (% i half))
  (when (< h (memref.dim dy 1))
    (def c (memref.load cosines t j))
    (def s (memref.load sines t j))
    (def a (memref.load dy t h j))
    (def b (memref.load dy t h (+ j half)))
    (memref.store (+ (* a c) (* b s)) dx t h j)
    (memref.store (- (* b c) (* a s)) dx t h (+ j half))))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: dy memref<?x?x?xf32>)
           (: dx memref<?x?x?xf32>)]
  (def pairs (* (memref.dim dy 1) (memref.dim cosines 1)))
  (launch turn-back {:grid [(/ (+ pairs 255) 256) (memref.dim dy 0)] :block [256]} cosines sines dy dx))

; CHECK: ok
(define-rope-backward step)

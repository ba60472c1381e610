; RoPE, step 2: with a table.
;
; Sines and cosines are computed once for all layers and calls: [T D/2] numbers each, 2 MB at this shape, which stay in
; the L2 cache while x streams by. A thread is left with four multiplications, and waits for the memory.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./rope.lisp" :as rope] ["../ladder.lisp" :as ladder])
(require-macros "./rope.lisp" "../ladder.lisp")

(defkernel rotate
  [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (def half (memref.dim cosines 1))
  (def t (block-id :y))
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def h (/ i half))
  (def j (% i half))
  (when (< h (memref.dim x 1))
    (def c (memref.load cosines t j))
    (def s (memref.load sines t j))
    (def a (memref.load x t h j))
    (def b (memref.load x t h (+ j half)))
    (memref.store (- (* a c) (* b s)) y t h j)
    (memref.store (+ (* b c) (* a s)) y t h (+ j half))))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (def pairs (* (memref.dim x 1) (memref.dim cosines 1)))
  (launch rotate {:grid [(/ (+ pairs 255) 256) (memref.dim x 0)] :block [256]} x cosines sines y))

; CHECK: ok
(define-rope step)

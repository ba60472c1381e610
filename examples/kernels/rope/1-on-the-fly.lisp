; RoPE, step 1: angles on the fly.
;
; A thread a pair: it computes the pair's angle, its sine and its cosine, as no other memory than x and y is needed.
; But that is an exponential, a sine and a cosine of a number of some thousands, whose range reduction alone takes more
; operations than the pair has bytes, and all heads of a token do the same work again.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./rope.lisp" :as rope] ["../ladder.lisp" :as ladder])
(require-macros "./rope.lisp" "../ladder.lisp")

(defkernel rotate [(: x memref<?x?x?xf32>) (: y memref<?x?x?xf32>)]
  (def half (/ (memref.dim x 2) 2))
  (def t (block-id :y))
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def h (/ i half))
  (def j (% i half))
  (when (< h (memref.dim x 1))
    (def phi (* (cast f32 t) (exp (* (cast f32 j) (/ -9.210340371976184 (cast f32 half)))))) ; -log(10000)
    (def c (cos phi))
    (def s (sin phi))
    (def a (memref.load x t h j))
    (def b (memref.load x t h (+ j half)))
    (memref.store (- (* a c) (* b s)) y t h j)
    (memref.store (+ (* b c) (* a s)) y t h (+ j half))))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (def pairs (* (memref.dim x 1) (/ (memref.dim x 2) 2)))
  (launch rotate {:grid [(/ (+ pairs 255) 256) (memref.dim x 0)] :block [256]} x y))

; CHECK: ok
(define-rope step)

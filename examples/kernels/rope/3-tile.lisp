; RoPE, step 3: a tile program.
;
; One program turns some heads of a token: the halves are two tiles, and the token's sines and cosines, which all of
; them need, one row. (The program of examples/tiles/llama-tiles.lisp turns one head in place.)
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./rope.lisp" :as rope] ["../ladder.lisp" :as ladder])
(require-macros "./rope.lisp" "../ladder.lisp")

(deftile rotate {:const [heads half] :warps 4}
  [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (def t (program-id 0))
  (def h (* heads (program-id 1)))
  (def c (load cosines [t 0] [half]))
  (def s (load sines [t 0] [half]))
  (def a (load x [t h 0] [heads half]))
  (def b (load x [t h half] [heads half]))
  (store (- (* a c) (* b s)) y [t h 0])
  (store (+ (* b c) (* a s)) y [t h half]))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (launch rotate
    {:grid [(memref.dim x 0) (/ (+ (memref.dim x 1) 31) 32)]
     :const {:heads 32 :half ((memref.dim cosines 1) :among [16 32])}}
    x cosines sines y))

; CHECK: ok
(define-rope step)

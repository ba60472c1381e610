; Repeat-interleave, step 2: a tile program.
;
; A program reads a part of a row of x once and writes it R times, from registers. (The program of
; examples/tiles/llama-tiles.lisp goes the other way, by `gather` and `scatter`: rows of y at any places.)
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./repeat-interleave.lisp" :as repeat-interleave] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave.lisp" "../ladder.lisp")

(deftile repeat {:const [size] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (def v (load x [row c] [1 size]))
  (for [k 0 times] (store v y [(+ k (* row times)) c])))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (launch repeat {:grid [(/ (+ (memref.dim x 1) 1023) 1024) (memref.dim x 0)] :const {:size 1024}} x y times))

; CHECK: ok
(define-repeat-interleave step)

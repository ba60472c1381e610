; RMS norm, step 2: a tile program.
;
; The one of examples/tiles/llama-tiles.lisp: a row is one tile, which the compiler keeps in registers, so that it is
; read once, 16 bytes a load. The width of the tile is the row's, rounded up to a power of two that the launch chooses;
; columns past the end are loaded as 0, which adds nothing to the sum of squares.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./rms-norm.lisp" :as rms-norm] ["../ladder.lisp" :as ladder]
         ["../../tiles/llama-tiles.lisp" :as llama-tiles])
(require-macros "./rms-norm.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: y memref<?x?xf32>)]
  (launch llama-tiles/rms-norm
    {:grid [(memref.dim x 0)] :const {:columns (next-power-of-2 (memref.dim x 1) :among [256 1024 2048])}}
    x weight y))

; CHECK: ok
(define-rms-norm step)

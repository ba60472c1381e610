; Layer normalisation, step 5: a tile program.
;
; The formula on the tile of four rows, one for each warp (examples/tiles/row-tiles.lisp), which the compiler keeps in
; registers: 16 bytes a load, sums by shuffles. The width of the tile is the row's, rounded up to a power of two that
; the launch chooses; columns past the end are loaded as 0 and left out of the variance by a mask.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder]
         ["../../tiles/row-tiles.lisp" :as row-tiles])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch row-tiles/layer-norm
    {:grid [(/ (+ (memref.dim x 0) 3) 4)]
     :const {:rows 4 :columns (next-power-of-2 (memref.dim x 1) :among [128 256 512 1024])}}
    x weight bias y))

; CHECK: ok
(define-layer-norm step)

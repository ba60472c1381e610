; Softmax, step 6: tile programs.
;
; They are those of examples/tiles: a row that fits is one tile, which is read once; a longer one is read twice in
; chunks, with a sum of step 4 for each place of a chunk. The next chunk is read while this one is summed, and each
; thread reads 16 bytes at a time where a row begins at 16 bytes, which the kernel finds out.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder] ["../../tiles/row-tiles.lisp" :as row-tiles])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch row-tiles/softmax-chunks {:grid [(memref.dim x 0)] :const {:chunk 8192}} x y))

; CHECK: ok
(define-softmax step)

; Layer normalisation, step 5: a tile program.
;
; The formula on the tile of one row, which the compiler keeps in registers: 16 bytes a load, sums by shuffles and,
; where more than one warp has a row, through shared memory. The row's width is rounded up to a power of two that the
; launch chooses; columns past the end are loaded as 0 and left out of the variance by a mask.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

(deftile normalize {:const [size] :warps 4}
  [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def columns (memref.dim x 1))
  (def each (/ 1.0 (cast f32 columns)))
  (def v (load x [row 0] [1 size]))
  (def inside (< (iota i32 [1 size] :axis 1) (cast i32 columns)))
  (def d (where inside (- v (* each (sum v :axis 1 :keep true))) 0.0))
  (def scale (rsqrt (+ (* each (sum (* d d) :axis 1 :keep true)) 1e-5)))
  (store (+ (* d scale (load weight [0] [size])) (load bias [0] [size])) y [row 0]))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(memref.dim x 0)]
                     :const {:size (next-power-of-2 (memref.dim x 1) :among [128 256 512 1024 2048 4096])}}
          x weight bias y))

; CHECK: ok
(define-layer-norm step)

; Residual and layer norm, step 3: a tile program.
;
; That of the layer norm (examples/tiles/row-tiles.lisp) with the sum of two tiles in the place of the one that it
; loads, and one store more: the row stays in registers from the sum to the end.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./residual-norm.lisp" :as residual-norm] ["../ladder.lisp" :as ladder])
(require-macros "./residual-norm.lisp" "../ladder.lisp")

(deftile both {:const [rows columns] :warps 4}
  [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: z memref<?x?xf32>)
   (: y memref<?x?xf32>)]
  (def i (* rows (program-id 0)))
  (def n (memref.dim x 1))
  (def size (cast f32 n))
  (def v (+ (load x [i 0] [rows columns]) (load r [i 0] [rows columns])))
  (store v z [i 0])
  (def mean (/ (sum v :axis 1 :keep true) size))
  (def d (where (< (iota index [columns]) n) (- v mean) 0.0))
  (def variance (/ (sum (* d d) :axis 1 :keep true) size))
  (store (+ (* d (rsqrt (+ variance 1e-5)) (load weight [0] [columns])) (load bias [0] [columns])) y [i 0]))

(defn step [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
            (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch both
    {:grid [(/ (+ (memref.dim x 0) 3) 4)]
     :const {:rows 4 :columns (next-power-of-2 (memref.dim x 1) :among [128 256 512 1024])}}
    x r weight bias z y))

; CHECK-COUNT-2: ok
(define-residual-norm step)

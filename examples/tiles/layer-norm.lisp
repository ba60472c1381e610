; Layer norm of each row: (x - mean) / sqrt(variance + epsilon) * weight + bias. The tile program is in row-tiles.lisp.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check] ["./row-tiles.lisp" :as row-tiles])

(defn normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch row-tiles/layer-norm
    {:grid [(/ (+ (memref.dim x 0) 3) 4)]
     :const {:rows 4 :columns (next-power-of-2 (memref.dim x 1) :among [64 128 256 512 1024])}}
    x weight bias y))

(defn reference [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def n (memref.dim x 1))
  (for [i 0 (memref.dim x 0)]
    (def mean (/ (fold [s (: 0.0 f32)] [j 0 n] (+ s (memref.load x i j))) (cast f32 n)))
    (def squares (fold [s (: 0.0 f32)] [j 0 n]
      (def d (- (memref.load x i j) mean))
      (+ s (* d d))))
    (def scale (/ 1.0 (sqrt (+ (/ squares (cast f32 n)) 1e-5))))
    (for [j 0 n]
      (memref.store (+ (* (- (memref.load x i j) mean) scale (memref.load weight j)) (memref.load bias j)) y i j))))

; CHECK: layer norm: ok
(defn main []
  (def x (check/filled 1 10 200))
  (def y (check/matrix 10 200))
  (def z (check/matrix 10 200))
  (def weight (memref.alloc {:result memref<?xf32>} (: 200 index)))
  (def bias (memref.alloc {:result memref<?xf32>} (: 200 index)))
  (for [j 0 200]
    (memref.store (check/value 2 j 0) weight j)
    (memref.store (check/value 3 j 0) bias j))
  (normalize x weight bias y)
  (reference x weight bias z)
  (check/report (cstring "layer norm") (check/largest-difference y z) 1e-5))

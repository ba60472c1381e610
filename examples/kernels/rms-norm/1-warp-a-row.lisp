; RMS norm, step 1: a warp a row.
;
; The lanes of a warp take every 32nd number and combine their sums of squares by shuffles, as in step 3 of layer norm;
; there is no mean, so that one reduction is enough. The second pass over the row finds it in the L1 cache.
;
; What is left: 4 bytes a load, and 64 loads of a lane one after the other for a row of 2,048 numbers.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./rms-norm.lisp" :as rms-norm] ["../ladder.lisp" :as ladder])
(require-macros "./rms-norm.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: y memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def squares (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                     (def v (memref.load x row c))
                                     (+ s (* v v)))))
    (def scale (math.rsqrt (+ (/ squares (cast f32 columns)) 1e-5)))
    (for [c (lane-id) columns (warp-size)]
      (memref.store (* (memref.load x row c) scale (memref.load weight c)) y row c))))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x weight y))

; CHECK: ok
(define-rms-norm step)

; Cumulative sums of rows of any length: within a chunk by a scan, and a sum that goes from chunk to chunk.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])

(deftile sums-so-far {:const [rows chunk] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def i (* rows (program-id 0)))
  (fold [before (zeros f32 [rows 1])] [j 0 (memref.dim x 1) chunk]
    (def v (load x [i j] [rows chunk]))
    (store (+ before (cumsum v :axis 1)) y [i j])
    (+ before (sum v :axis 1 :keep true))))

; CHECK: cumulative sum: ok
(defn main []
  (def x (check/filled 1 6 1000))
  (def y (check/matrix 6 1000))
  (def z (check/matrix 6 1000))
  (launch sums-so-far {:grid [2] :const {:rows 4 :chunk 128}} x y)
  (for [i 0 6]
    (fold [s (: 0.0 f32)] [j 0 1000]
      (def next (+ s (memref.load x i j)))
      (memref.store next z i j)
      next))
  (check/report (cstring "cumulative sum") (check/largest-difference y z) 1e-4))

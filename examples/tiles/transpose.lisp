; y = the transpose of x, a tile at a time. A strided view is transposed without a copy when it is read.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])

(deftile transposed {:const [bm bn]} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (transpose (load x [i j] [bm bn])) y [j i]))

(defn transposition [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch transposed
    {:grid [(/ (+ (memref.dim x 0) 31) 32) (/ (+ (memref.dim x 1) 63) 64)] :const {:bm 32 :bn 64}}
    x y))

; CHECK: transpose: ok, largest difference 0.0e+00
(defn main []
  (def x (check/filled 1 70 200))
  (def y (check/matrix 200 70))
  (def z (check/matrix 200 70))
  (transposition x y)
  (for [i 0 70] (for [j 0 200] (memref.store (memref.load x i j) z j i)))
  (check/report (cstring "transpose") (check/largest-difference y z) 0.0))

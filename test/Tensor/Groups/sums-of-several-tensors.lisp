; Sums of whole tensors that meet are a kernel for each tensor, on targets that have tile programs: one thread would
; compute them together. A mean and what is summed with it walk the same tensor, and are one.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run %s | FileCheck %s --check-prefix=SUM

; CHECK-DAG: kernel squares_0, row
; CHECK-DAG: kernel squares_1, row
; CHECK-DAG: kernel squares_2, row
; CHECK-DAG: not in squares_0: it is a sum of other elements
; CHECK-DAG: kernel variance_0, row
; CHECK-NOT: no tile program
; CHECK-NOT: kernel variance_1,
(defn squares [(: a (tensor n f32)) (: b (tensor m k f32)) (: c (tensor l f32)) (: total (inout (tensor 1 f32)))]
  (update total (+ total (sum (* a a))))
  (update total (+ total (sum (* b b))))
  (update total (+ total (sum (* c c)))))
(defn variance [(: x (tensor n m f32))]
  (def d (- x (mean x)))
  (mean (* d d)))

; SUM: 1026
; SUM: 0
(defn main []
  (def total (zeros f32 [1]))
  (squares (full f32 [400] 1.0) (full f32 [5 25] 2.0) (full f32 [14] 3.0) total)
  (println "%g" (at total 0))
  (println "%g" (at (variance (full f32 [3 7] 2.0)))))

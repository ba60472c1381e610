; A dimension whose size is computed as a product is divided into its factors, and the others stay, also the last one,
; which is not known to: parts of a larger tensor are divided without a copy.
; RUN: lispier --emit=module %s -o - | FileCheck %s
; CHECK-LABEL: func.func @parts(
; CHECK-NOT: collapse_shape
; CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3]]
(defn parts [(: x (tensor t n e f32)) (: g index) (: r index) (: d index)]
  (reshape (slice x :axis 1 :to (* g r)) [t g r d]))
(defn main [(: x tensor<?x?x?xf32>) (: g index) (: r index) (: d index)] (parts x g r d))

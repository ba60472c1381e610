; A product reads a factor that is transposed as it is in memory, by its map, so that it gets the tiles that suit it.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
; CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
; CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
; CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
; CHECK-LABEL: func.func @second(
; CHECK-NOT: linalg.generic
; CHECK: linalg.contract indexing_maps = [#[[MK]], #[[NK]], #[[MN]]]
(defn second [(: a (tensor 20 30 f32)) (: b (tensor 40 30 f32))] (matmul a (transpose b)))
; CHECK-LABEL: func.func @both(
; CHECK-NOT: linalg.generic
; CHECK: linalg.contract indexing_maps = [#[[KM]], #[[NK]], #[[MN]]]
(defn both [(: a (tensor 30 20 f32)) (: b (tensor 40 30 f32))] (matmul (transpose a) (transpose b)))
; CHECK-LABEL: func.func @batch(
; CHECK-NOT: linalg.generic
; CHECK: linalg.contract
(defn batch [(: a (tensor b 4 5 f32)) (: c (tensor 5 b 6 f32))] (matmul a (transpose c [1 0 2])))

(defn main []
  ; VALUE-COUNT-3: {{^0$}}
  (def a (reshape (iota f32 [600]) [20 30]))
  (def b (reshape (sin (iota f32 [1200])) [40 30]))
  (def expected (einsum "mk,nk->mn" a b))
  (println "%g" (at (max (reshape (abs (- (second a b) expected)) [_]))))
  (println "%g" (at (max (reshape (abs (- (both (transpose a) b) expected)) [_]))))
  (def c (reshape (iota f32 [60]) [3 4 5]))
  (def d (reshape (iota f32 [90]) [5 3 6]))
  (println "%g" (at (max (reshape (abs (- (batch c d) (einsum "bmk,kbn->bmn" c d))) [_])))))

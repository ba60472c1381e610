; A product whose rows are several dimensions is a product of tiles of the largest of them, and not sums of single elements.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s

; TILES-LABEL: gpu.func @scores_0(
; TILES: vector.contract
(defn scores [(: q (tensor b t g r 16 f32)) (: k (tensor b s g 16 f32))] -> (tensor b g r t s f32)
  (einsum "btgrd,bsgd->bgrts" q k))

; CHECK: i1 [] false
(defn main []
  (def q (reshape (sin (* 0.7 (iota f32 [960]))) [2 5 2 3 16]))
  (def k (reshape (sin (* 0.3 (iota f32 [448]))) [2 7 2 16]))
  (def all (scores q k))
  (def one (einsum "td,sd->ts" (at (at (at (transpose q [0 2 3 1 4]) 1) 0) 2) (at (at (transpose k [0 2 1 3]) 1) 0)))
  (println (> (max (abs (- one (at (at (at all 1) 0) 2)))) 1e-4)))

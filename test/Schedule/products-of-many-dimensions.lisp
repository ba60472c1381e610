; A product whose rows are several dimensions is a product of tiles of the largest of them, and not sums of single elements.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s

; TILES-LABEL: gpu.func @scores_0(
; TILES: vector.contract
(defn scores [(: q (tensor b t g r 16 f32)) (: k (tensor b s g 16 f32))] -> (tensor b g r t s f32)
  (einsum "btgrd,bsgd->bgrts" q k))

; A product that sums several dimensions has tiles of the largest, and one element of the others in loops around it.
; TILES-LABEL: gpu.func @shared_0(
; TILES: scf.for
; TILES: scf.for
; TILES: vector.contract
; TILES-COUNT-2: scf.yield
(defn shared [(: weights (tensor b g r t s f32)) (: q (tensor b t g r 16 f32))] -> (tensor b g s 16 f32)
  (einsum "bgrts,btgrd->bgsd" weights q))

; CHECK: i1 [] false
; CHECK: i1 [] false
(defn main []
  (def q (reshape (sin (* 0.7 (iota f32 [960]))) [2 5 2 3 16]))
  (def k (reshape (sin (* 0.3 (iota f32 [448]))) [2 7 2 16]))
  (def all (scores q k))
  (def one (einsum "td,sd->ts" (at (at (at (transpose q [0 2 3 1 4]) 1) 0) 2) (at (at (transpose k [0 2 1 3]) 1) 0)))
  (println (> (max (abs (- one (at (at (at all 1) 0) 2)))) 1e-4))
  (def terms (* (stack (transpose all [0 1 2 4 3]) :axis -1) (stack (transpose q [0 2 3 1 4]) :axis 3)))
  (println (> (max (abs (- (sum (sum terms :axis 4) :axis 2) (shared all q)))) 1e-3)))

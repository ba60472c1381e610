; A pipelined loop in another loop: its first steps' slots are written before it, not behind the outer loop's products.
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx1100 %s | FileCheck %s
; CHECK: f32 [] 516.331
(defn attend [(: x (tensor 2 8 64 f32))]
  (einsum "gts,gsc->gtc"
          (softmax (where (<= (iota i32 [8]) (iota i32 [8 1] :axis 0)) (* 0.5 (einsum "gtd,gsd->gts" x x)) -inf)) x))
(defn main [] (println (sum (attend (uniform f32 [2 8 64] :seed 1)))))

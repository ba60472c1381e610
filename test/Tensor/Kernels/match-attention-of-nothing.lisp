; A softmax of no positions is multiplied with no values. Its weights have no element by which attention is recognised.
; RUN: lispier run %s | FileCheck %s
(defn of-nothing [(: q (tensor 9 2 8 f32)) (: k (tensor 0 2 8 f32)) (: v (tensor 0 2 8 f32))]
  (einsum "hts,shd->thd" (softmax (einsum "thd,shd->hts" q k)) v))
; CHECK: f32 [] 0
(defn main [] (println (max (abs (of-nothing (zeros f32 [9 2 8]) (zeros f32 [0 2 8]) (zeros f32 [0 2 8]))))))

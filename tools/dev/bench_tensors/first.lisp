;;; first.lisp - a small program of formulas, for the time from its source to its first result.
(defn layer [(: x (tensor t c f32)) (: g (tensor c f32)) (: b (tensor c f32))
             (: up (tensor h c f32)) (: down (tensor c h f32))] -> (tensor t c f32)
  (def y (layer-norm x g b))
  (def scores (softmax (* 0.125 (einsum "tc,sc->ts" y y))))
  (def mixed (+ x (einsum "ts,sc->tc" scores y)))
  (+ mixed (einsum "th,ch->tc" (gelu (einsum "tc,hc->th" (layer-norm mixed g b) up)) down)))

(defn numbers [rows columns]
  (sin (+ (iota f32 [rows columns] :axis 0) (* 0.37 (iota f32 [rows columns] :axis 1)))))

(defn main []
  (def x (numbers 64 64))
  (def gain (full f32 [64] 1.0))
  (def bias (zeros f32 [64]))
  (def up (numbers 256 64))
  (def down (numbers 64 256))
  (def y (layer x gain bias up down))
  (println (sum (* y y)))
  (println (argmax y :axis -1))
  (println (cross-entropy y (iota i32 [64]))))

;;; What tools/dev/check-embedding calls.
(defn rows [(: x (tensor n c f32))] (softmax x))
(defn rows-backward [(: x (tensor n c f32)) (: dy (tensor n c f32))]
  (def [y dx] (vjp rows x :seed dy :wrt [0]))
  dx)
(defn add [(: x (tensor n f32)) (: y (tensor n f32))] (+ x y))
(defn half [(: x (tensor n c bf16)) (: y (tensor n c bf16))] (+ x y))

; Temporary tensors, a constant, a loop.
(defn mlp [(: x (tensor t k f32)) (: w (tensor n k f32)) (: v (tensor k n f32))]
  (einsum "tn,kn->tk" (gelu (einsum "tk,nk->tn" x w)) v))
(defn mlp-backward [(: x (tensor t k f32)) (: w (tensor n k f32)) (: v (tensor k n f32)) (: dy (tensor t k f32))]
  (def [y dx dw dv] (vjp mlp x w v :seed dy :wrt [0 1 2]))
  [dx dw dv])
(defn looked-up [(: rows (tensor n i32))] (gather (: [1.0 2.0 5.0 3.0] (tensor 4 f32)) rows))
(defn grown [(: x (tensor n f32)) (: k index)] (fold [a x] [i 0 k] (* a 1.5)))
(defn doubled [(: x (inout (tensor n f32)))] (update x (* 2.0 x) [0]))
; Decides by a number of the device.
(defn chosen [(: x (tensor n f32)) (: i (tensor 1 i32))] (if (> (at i 0) 0) (* x 2.0) (* x 3.0)))

(defn alibi [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32)) (: slopes (tensor h f32))]
  (def back (- (iota f32 [t 1] :axis 0) (iota f32 [1 s] :axis 1)))
  (def scores (- (/ (einsum "htd,hsd->hts" q k) (sqrt (cast f32 d))) (* (reshape slopes [h 1 1]) back)))
  (einsum "hts,hsd->htd" (softmax (where (>= back 0.0) scores -inf)) v))
(defn alibi-backward [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))
                      (: slopes (tensor h f32)) (: dy (tensor h t d f32))]
  (def [y dq dk dv ds] (vjp alibi q k v slopes :seed dy :wrt [0 1 2 3]))
  [dq dk dv ds])

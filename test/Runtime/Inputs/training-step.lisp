; Five steps of gradient descent on a network of layers in a loop, by hand: the forward loop keeps the input of each layer
; in a stack, the backward loop takes them from there, puts each layer's gradient in its place, and weights change where
; they are.
(defrecord Net [w (tensor l c c f32)] [b (tensor l c f32)])

(defn gradients [(: m Net) (: d (inout Net)) (: x0 (tensor n c f32)) (: goal (tensor n c f32))]
  (def l (dim (:w m) 0))
  (def [xl xs us]
    (fold [x x0 xs (zeros f32 [l n c]) us (zeros f32 [l n c])] [i 0 l]
      (def u (+ (einsum "nc,oc->no" x (at (:w m) i)) (at (:b m) i)))
      [(+ x (tanh u)) (update xs x [i 0 0]) (update us u [i 0 0])]))
  (def e (- xl goal))
  (def loss (/ (sum (* e e)) (cast f32 (* n c))))
  (fold [dx (* e (/ 2.0 (cast f32 (* n c))))] [j 0 l]
    (def i (- (- l 1) j))
    (def t (tanh (at us i)))
    (def du (* dx (- 1.0 (* t t))))
    (update (at (:w d) i) (einsum "no,nc->oc" du (at xs i)) [0 0])
    (update (at (:b d) i) (sum du :axis 0) [0])
    (+ dx (einsum "no,oc->nc" du (at (:w m) i))))
  loss)

(defn descend [(: m (inout Net)) (: d Net)]
  (update (:w m) (- (:w m) (* 0.5 (:w d))) [0 0 0])
  (update (:b m) (- (:b m) (* 0.5 (:b d))) [0 0]))

(defn waves [(: n index) (: by f32)] (* by (sin (* 1.37 (iota f32 [n])))))

(defn main []
  (def m (Net {:w (load (reshape (waves 768 0.3) [3 16 16])) :b (zeros f32 [3 16])}))
  (def d (Net {:w (zeros f32 [3 16 16]) :b (zeros f32 [3 16])}))
  (def x (reshape (waves 128 1.0) [8 16]))
  (def goal (reshape (waves 128 -0.5) [8 16]))
  (for [k 0 5]
    (def loss (gradients m d x goal))
    (descend m d)
    (println "loss %.5f" (at loss))))

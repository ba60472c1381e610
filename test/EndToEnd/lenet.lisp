; A network of convolutions and pooling, as LeNet's (LeCun et al. 1998), learns which way the stripes of an image run:
; from 4 classes by chance to all images that it has not seen. Its gradients pass conv2d, max-pool2d and their padding.
; RUN: lispier run %s | FileCheck %s
(defrecord LeNet [w1 (tensor 6 1 5 5 f32)] [b1 (tensor 6 f32)] [w2 (tensor 8 6 3 3 f32)] [b2 (tensor 8 f32)]
  [w3 (tensor 16 72 f32)] [b3 (tensor 16 f32)] [w4 (tensor 4 16 f32)] [b4 (tensor 4 f32)])

(defn per-channel [b] (reshape b [_ 1 1]))
(defn scores-of [(: m LeNet) (: images (tensor n 12 12 f32))]
  (def x (reshape images [_ 1 12 12]))
  (def a (max-pool2d (tanh (+ (conv2d x (:w1 m) :padding 2) (per-channel (:b1 m))))))
  (def b (max-pool2d (tanh (+ (conv2d a (:w2 m) :padding 1) (per-channel (:b2 m))))))
  (linear (tanh (linear (reshape b [n 72]) (:w3 m) (:b3 m))) (:w4 m) (:b4 m)))
(defn loss-of [(: m LeNet) (: images (tensor n 12 12 f32)) (: labels (tensor n i32))]
  (def scores (scores-of m images))
  [(cross-entropy scores labels) (mean (cast f32 (= (argmax scores :axis 1) labels)))])

;; Stripes along a row, a column and both diagonals, with noise, moved by chance.
(defn stripes [(: n index) (: seed i64)]
  (def label (% (iota i32 [n]) 4))
  (def [class y x] [(reshape label [n 1 1]) (iota f32 [12 12] :axis 0) (iota f32 [12 12] :axis 1)])
  (def along (where (= class 0) y (where (= class 1) x (where (= class 2) (+ x y) (- x y)))))
  (def phase (* 6.28 (uniform f32 [n 1 1] :seed seed)))
  [(+ (sin (+ phase (* 1.3 along))) (* 0.5 (normal f32 [n 12 12] :seed seed :stream 1))) label])

(defn move [(: w inout) dw] (update w (- w (* 0.2 dw))))
(defn train [(: m (inout LeNet)) (: steps index)]
  (for [i 0 steps]
    (def [images labels] (stripes 32 (cast i64 i)))
    (def [_ _ d] (value-and-grad loss-of m images labels))
    (each-field LeNet move [m d])))

(defn main []
  (def m (LeNet (* 0.2 (normal f32 [6 1 5 5] :seed 1)) (zeros f32 [6]) (* 0.15 (normal f32 [8 6 3 3] :seed 2))
                (zeros f32 [8]) (* 0.12 (normal f32 [16 72] :seed 3)) (zeros f32 [16])
                (* 0.25 (normal f32 [4 16] :seed 4)) (zeros f32 [4])))
  (def [images labels] (stripes 128 1000))
  (train m 60)
  (def [loss share] (loss-of m images labels))
  ; CHECK: loss 0.{{[01].*}}, {{9[5-9]|100}}% right
  (println "loss %.2f, %.0f%% right" (at loss) (* 100.0 (at share))))

; A printed tensor keeps its memory until it is printed: f85 gave its result the memory of that of f78 before.
; RUN: lispier run %s | FileCheck %s
(defn f77 [(: x (tensor 3 1 f32)) (: y (tensor _ f32))]
  (def v0 (slice y :axis 0 :from 2))
  (def v1 (concat x x :axis -1))
  (def v2 (min v1 :axis -2 :keep true))
  (def v3 (- y 0.5))
  (def v4 (reshape v1 [2 _]))
  (def v5 (update v3 (* 0.5 (slice v3 [0] [3])) [0]))
  v5)
(defn f78 [(: x (tensor 2 2 f32)) (: y (tensor _ 2 5 f32))]
  (def v0 (slice x :axis -2 :from 1))
  (def v1 (einsum "mk,nk->nm" x x))
  (def v2 (+ v1 0.5))
  (def v3 (slice y :axis -2 :from 0))
  (def v4 (min x v2))
  (def v5 (sum v0 :axis -1 :keep true))
  v5)
(defn f85 [(: x (tensor 1 f32)) (: y (tensor _ _ f32))]
  (def v0 (max x :axis 0))
  (def v1 (max y y))
  (def v2 (reshape x [1 _]))
  (def v3 (slice v1 :axis 0 :from 2))
  (def v4 (slice x :axis -1 :from 0))
  (def v5 (cumsum v2 :axis -1))
  v5)
(defn f96 [(: x (tensor _ f32)) (: y (tensor _ f32))]
  (def v0 (tanh y))
  (def v1 (stack v0 (neg v0) :axis 0))
  (def v2 (softmax v0 :axis 0))
  (def v3 (cumsum v0 :axis 0))
  (def v4 (softmax x :axis 0))
  (def v5 (where (> v4 x) v4 (* 0.5 x)))
  v5)
(defn main []
  (println (f77 (- (* -0.5 (reshape (iota f32 [3]) [3 1])) 1.0) (- (* 0.25 (reshape (iota f32 [3]) [3])) 1.0)))
  (println (f78 (- (* -0.5 (reshape (iota f32 [4]) [2 2])) 1.0) (- (* -0.5 (reshape (iota f32 [20]) [2 2 5])) 1.0)))
  ; CHECK: f32 [1 1]
  ; CHECK-NEXT: [-4.5]
  (println (f85 (- (* 0.25 (reshape (iota f32 [1]) [1])) 1.0) (- (* -0.5 (reshape (iota f32 [21]) [3 7])) 1.0)))
  (println (f96 (- (* 0.25 (reshape (iota f32 [3]) [3])) 1.0) (- (* -0.5 (reshape (iota f32 [3]) [3])) 1.0))))

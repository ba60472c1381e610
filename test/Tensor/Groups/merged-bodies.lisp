; A kernel of many ops that each read others twice, as all of a gradient with sizes of 1: one body of them would double with
; each, and the compiler would not end.
; RUN: lispier run %s | FileCheck %s
; CHECK: f64 [] -0.240328
(defn loss [(: x (tensor 1 1 1 f64)) (: y (tensor 1 1 1 f64)) (: z (tensor 1 f64))]
  (def v0 (update z (* 0.5 (slice z [0] [1])) [(+ (zeros i32 []) 0)]))
  (def v1 (sigmoid v0))
  (def v2 (sigmoid x))
  (def v3 (softmax y :axis 1))
  (def v4 (transpose x [2 0 1]))
  (def v5 (fold [a (+ z z)] [i 0 3] (+ (* 0.5 a) (cast f64 i))))
  (def v6 (min v3 :axes [0 2]))
  (+ 0.0 (sum (/ v0 (+ 1.0 (* v0 v0)))) (sum (/ v1 (+ 1.0 (* v1 v1)))) (sum (/ v2 (+ 1.0 (* v2 v2)))) 
     (sum (/ v3 (+ 1.0 (* v3 v3)))) (sum (/ v4 (+ 1.0 (* v4 v4)))) (sum (/ v5 (+ 1.0 (* v5 v5)))) (sum (/ v6 (+ 1.0 (* v6 v6))))))
(defn slope []
  (def x (reshape (* 1.5 (sin (+ 15.0 (* 2.3 (iota f64 [1]))))) [1 1 1]))
  (def y (reshape (* 1.5 (sin (+ 31.0 (* 2.3 (iota f64 [1]))))) [1 1 1]))
  (def z (reshape (* 1.5 (sin (+ 12.0 (* 2.3 (iota f64 [1]))))) [1]))
  (def dx (reshape (cos (+ 0.5 (* 1.9 (iota f64 [1])))) [1 1 1])) 
  (def dy (reshape (cos (+ 1.5 (* 1.9 (iota f64 [1])))) [1 1 1])) (def dz (reshape (cos (+ 2.5 (* 1.9 (iota f64 [1])))) [1]))
  (def [_ gx gy gz] (value-and-grad loss x y z :wrt [0 1 2]))
  (println (+ 0.0 (sum (* dx gx)) (sum (* dy gy)) (sum (* dz gz)))))
(defn main [] (slope))

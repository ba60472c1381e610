; A value that several dimensions of one result read: the kernel that makes both keeps reading the first op, and does not
; take its own result for it.
; RUN: lispier run %s | FileCheck %s
(defn f4 [(: x (tensor 1 1 f32)) (: y (tensor 5 2 f32))]
  (def v0 (stack x (neg x) :axis 1))
  (def v1 (softmax x :axis 1))
  (def v2 (mean y :axis -1 :keep true))
  (def v3 (transpose v0 [2 0 1]))
  (def v4 (stack v2 (neg v2) :axis 1))
  (def v5 (max v0 v1))
  v5)
(defn f11 [(: x (tensor 1 1 f32)) (: y (tensor 1 1 f32))]
  (def v0 (max y :axis 1))
  (def v1 (softmax v0 :axis 0))
  (def v2 (mean y :axis 1))
  (def v3 (max y y))
  (def v4 (cumsum v1 :axis -1))
  (def v5 (neg y))
  v5)
(defn main []
  (println (f4 (- (* 0.25 (reshape (iota f32 [1]) [1 1])) 1.0) (- (* -0.5 (reshape (iota f32 [10]) [5 2])) 1.0)))
  (println (f11 (- (* 0.25 (reshape (iota f32 [1]) [1 1])) 1.0) (- (* -0.5 (reshape (iota f32 [1]) [1 1])) 1.0))))
; CHECK: f32 [1 2 1]
; CHECK-NEXT: 1]
; CHECK-NEXT: 1]]]
; CHECK-NEXT: f32 [1 1]
; CHECK-NEXT: 1]]

; Why ops that could be one kernel are two: each rule that keeps them apart, beside a case that it allows.
; RUN: lispier build --explain --emit=tensor %s -o /dev/null 2>&1 | FileCheck %s

; CHECK: kernel many_1,
; CHECK: not in many_0: together they would have more than 16 tensors as operands
; CHECK: kernel few_0,
; CHECK-NOT: kernel few_1
(defn many [(: x0 (tensor 4 8 f32)) (: x1 (tensor 4 8 f32)) (: x2 (tensor 4 8 f32)) (: x3 (tensor 4 8 f32)) (: x4 (tensor 4 8 f32)) (: x5 (tensor 4 8 f32)) (: x6 (tensor 4 8 f32)) (: x7 (tensor 4 8 f32)) (: x8 (tensor 4 8 f32)) (: x9 (tensor 4 8 f32)) (: x10 (tensor 4 8 f32)) (: x11 (tensor 4 8 f32)) (: x12 (tensor 4 8 f32)) (: x13 (tensor 4 8 f32)) (: x14 (tensor 4 8 f32)) (: x15 (tensor 4 8 f32)) (: x16 (tensor 4 8 f32)) (: x17 (tensor 4 8 f32))]
  (* (softmax (+ x0 x1 x2 x3 x4 x5 x6 x7 x8))
     (+ x9 x10 x11 x12 x13 x14 x15 x16 x17)))
(defn few [(: x (tensor 4 8 f32)) (: y (tensor 4 8 f32)) (: z (tensor 4 8 f32))] (* (softmax (+ x y)) (+ y z)))

; CHECK: kernel attended_1,
; CHECK: not in attended_0: attention is a kernel of its own
(defn attended [(: q (tensor 2 4 8 f32)) (: k (tensor 2 4 8 f32))] (relu (attention q k k)))

; CHECK: kernel shared_1,
; CHECK: not in shared_0: others need it, who would have to wait for the product
; CHECK: kernel alone_0,
; CHECK-NOT: kernel alone_1
(defn shared [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))]
  (let [y (* x (+ x 1.0))] [(matmul y w) y]))
(defn alone [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))] (matmul (* x (+ x 1.0)) w))

; CHECK: kernel total_1,
; CHECK: not in total_0: the reduction has one row, and this is larger than a row
; CHECK: kernel share_0,
; CHECK-NOT: kernel share_1
(defn total [(: x (tensor 8 f32)) (: w (tensor 8 16 f32))] (* (stack (/ x (sum x)) :axis -1) w))
(defn share [(: x (tensor 8 f32)) (: w (tensor 8 16 f32))] (/ x (sum x)))

(defn main []
  (def x (zeros f32 [4 8]))
  (def w (zeros f32 [8 8]))
  (def q (zeros f32 [2 4 8]))
  (many x x x x x x x x x x x x x x x x x x)
  (few x x x)
  (attended q q)
  (shared x w)
  (alone x w)
  (println 1))

; Equal parts that are computed and joined are one kernel, which chooses the part by its number, also with what is done to
; all of them: a rotation of queries is one kernel.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; CHECK-LABEL: func.func @rotated(
; CHECK: group.kernel "rotated_0" kind(elementwise)
; CHECK: linalg.index 2
; CHECK: arith.select
; CHECK: arith.truncf
; CHECK: : memref<?x?x2x?xbf16> into memref<?x?x?xbf16>
; CHECK-NOT: group.kernel "rotated
; CHECK-NOT: memref.copy
; CHECK: return
(defn rotated [(: x (tensor t h d f32)) (: c (tensor t 1 s f32)) (: n (tensor t 1 s f32))] -> (tensor t h d bf16)
  (def [a b] (split x 2 :axis -1))
  (cast bf16 (concat (- (* a c) (* b n)) (+ (* b c) (* a n)) :axis -1)))

; Sizes that have one name in the arguments are equal.
; CHECK-LABEL: func.func @turned(
; CHECK: arith.select
; CHECK-NOT: group.kernel "turned_1
; CHECK: return
(defn turned [(: x (tensor t h d f32)) (: c (tensor t 1 s f32)) (: n (tensor t 1 s f32))] -> (tensor t h d f32)
  (def [a b] (split x 2 :axis -1))
  (concat (- (* c a) (* n b)) (+ (* n a) (* b c)) :axis -1))

; CHECK-LABEL: func.func @rows(
; CHECK: linalg.index 0
; CHECK-NOT: group.kernel "rows_1
; CHECK: return
(defn rows [(: x (tensor 3 4 f32)) (: y (tensor 3 4 f32))] (concat (+ x 1.0) (* y 2.0) (- x y)))

; What is joined so may be a part of a further tensor, where it is computed; 16-bit numbers are widened where they are
; read, and not before they are split.
; CHECK-LABEL: func.func @beside(
; CHECK-NOT: 3x4x10xf32
; CHECK: %[[PLACE:.*]] = memref.subview %alloc[0, 0, 0] [3, 4, 10]
; CHECK: %[[PARTS:.*]] = memref.expand_shape %[[PLACE]] {{.*}} into memref<3x4x2x5xbf16
; CHECK: group.kernel "beside_0" kind(elementwise) {{.*}} outs(%[[PARTS]] :
; CHECK: arith.select
; CHECK-NOT: group.kernel "beside_1
; CHECK: return
(defn beside [(: x (tensor 3 6 10 bf16)) (: c (tensor 3 1 5 f32)) (: n (tensor 3 1 5 f32))]
  (def [a b] (split (cast f32 (slice x :axis 1 :to 4)) 2 :axis -1))
  (def turned (concat (cast bf16 (- (* a c) (* b n))) (cast bf16 (+ (* b c) (* a n))) :axis -1))
  (concat turned (slice x :axis 1 :from 4) :axis 1))

; Parts of several sizes, and parts that are in memory, are copied to their places.
; CHECK-LABEL: func.func @unequal(
; CHECK-NOT: arith.select
; CHECK: return
(defn unequal [(: x (tensor 3 4 f32)) (: y (tensor 2 4 f32))] (concat (+ x 1.0) (* y 2.0)))
; CHECK-LABEL: func.func @in_memory(
; CHECK-NOT: arith.select
; CHECK: return
(defn in_memory [(: x (tensor 3 4 f32)) (: y (tensor 3 4 f32))] (concat x y))

(defn numbers [(: count index) (: seed f32)] -> (tensor _ f32) (sin (* seed (iota f32 [count]))))
(defn far [a b] (> (max (abs (- a b))) 1e-2))
; VALUE-COUNT-4: i1 [] false
(defn main []
  (def x (reshape (numbers 60 0.7) [3 2 10]))
  (def c (reshape (numbers 15 0.3) [3 1 5]))
  (def n (reshape (numbers 15 1.9) [3 1 5]))
  (def y (cast f32 (rotated x c n)))
  (def a (slice x [0 0 0] [3 2 5]))
  (def b (slice x [0 0 5] [3 2 5]))
  (println (far (slice y [0 0 0] [3 2 5]) (- (* a c) (* b n))))
  (println (far (slice y [0 0 5] [3 2 5]) (+ (* b c) (* a n))))
  (def p (reshape (numbers 12 0.2) [3 4]))
  (def q (reshape (numbers 12 0.9) [3 4]))
  (println (far (slice (rows p q) [6 0] [3 4]) (- p q)))
  (def z (cast bf16 (reshape (numbers 180 0.7) [3 6 10])))
  (def all (beside z c n))
  (def expected (concat (rotated (cast f32 (slice z :axis 1 :to 4)) c n) (slice z :axis 1 :from 4) :axis 1))
  (println (far (cast f32 all) (cast f32 expected))))

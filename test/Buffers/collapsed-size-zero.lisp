; Tensors of 0 x 2 x n as one dimension: a kernel's operand has a size that is known to be 0 beside one that only the run
; knows. The module verifies after each pass.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; CHECK: f32 [0 2 5]
(defn rotated [(: x (tensor 0 2 n f32)) (: y (tensor 0 2 n f32))]
  (def z (+ y (* 0.0 x)))
  (def [a b c] (fold [a (+ x y) b z c z] [i 0 3] [(+ (* 0.5 a) c) a b]))
  (+ a (* 0.0 (+ b c))))
(defn main [] (println (rotated (zeros f32 [0 2 5]) (zeros f32 [0 2 5]))))

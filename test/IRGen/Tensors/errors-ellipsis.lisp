; The dimensions for which `...` stands have no letters; a message counts them from the last one.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn products [(: x (tensor 4 6 f32)) (: y (tensor 5 6 f32))]
  ; CHECK: :[[#@LINE+2]]:28: error[tensor-shape]: `einsum`: dimension -1 of `...` is 6 in f32 [4 6], and 5 in f32 [5]
  ; CHECK: hint: `...` stands for the same sizes in all factors, from the last one on
  (einsum "...,...->..." x (sum y :axis 1))
  ; CHECK: :[[#@LINE+1]]:28: error[tensor-shape]: `einsum`: dimension -2 of `...` is 4 in f32 [4 6], and 5 in f32 [5 6]
  (einsum "...,...->..." x y))

; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn main []
  (def x (zeros f32 [2 4]))
  ; CHECK: :[[#@LINE+2]]:28: error[tensor-range]: `first-places`: the part from 0 of size 5 is not inside of dimension 1 of f32 [2 4]
  ; CHECK: hint: a part has at most the 4 elements of the dimension
  (println (first-places x 5))
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-rank]: a tensor of one number has no axis to sort
  (println (first-places (sum x) 1))
  ; CHECK: :[[#@LINE+1]]:42: error[type-mismatch]: `:descending` is true or false, not tensor<2x4xf32>
  (println (first-places x 1 :descending x)))

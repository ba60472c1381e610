; Parts of tensors that are outside, and parts that do not fit together.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn slices [(: x (tensor 4 6 f32)) (: i index) (: m memref<4x5xf32>)]
  ; CHECK: :[[#@LINE+3]]:21: error[tensor-range]: `slice`: the part from 5 of size 2 is not inside of dimension 1 of f32 [4 6]
  ; CHECK: :[[#@LINE+2]]:10: note: this operand is f32 [4 6]
  ; CHECK: hint: it begins at 0 to 4
  (slice x [0 5] [_ 2])
  ; CHECK: :[[#@LINE+1]]:20: error[tensor-range]: `slice`: the part from -1 of size 2 is not inside of dimension 0 of f32 [4 6]
  (slice x [-1 0] [2 2])
  ; CHECK: :[[#@LINE+1]]:12: error[tensor-rank]: `slice` takes 2 offsets in a vector, one for each dimension, not [0]
  (slice x [0] [_])
  ; CHECK: :[[#@LINE+3]]:18: error[tensor-rank]: `slice` of f32 [4 6] takes 2 sizes, not [1]
  ; CHECK: :[[#@LINE+2]]:10: note: this operand is f32 [4 6]
  ; CHECK: hint: _ stands for all that follows the offset
  (slice x [0 0] [1])
  ; CHECK: :[[#@LINE+2]]:19: error[type-literal-range]: `1.5` is no integer, and the type is index
  ; CHECK: hint: write an integer, or a float type such as f32
  (slice x [0 0] [1.5 2])
  ; CHECK: :[[#@LINE+2]]:18: error[tensor-axis]: the tensor has shape [? ?] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (slice x :axis 2 :from 1)
  ; CHECK: :[[#@LINE+1]]:3: error[tensor-range]: `slice`: the part from 4 of size -2 is not inside of dimension 1 of f32 [4 6]
  (slice x :axis 1 :from 4 :to 2)
  ; CHECK: :[[#@LINE+2]]:24: error[macro-shape]: `slice` takes offsets or keywords, not both
  ; CHECK: hint: write (slice tensor [offset ...] [size ...]) or (slice tensor :axis k :from a :to b :step s)
  (slice x [0 0] :from 1)
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-operand]: `slice` takes a tensor, not memref<4x5xf32>
  ; CHECK: hint: (load m) reads a memref as a tensor
  (slice m [0 0] [1 1])
  ; CHECK: :[[#@LINE+1]]:9: error[tensor-range]: `at`: the part from 4 of size 1 is not inside of dimension 0 of f32 [4 6]
  (at x 4)
  ; CHECK: :[[#@LINE+1]]:11: error[tensor-range]: `at`: the part from -1 of size 1 is not inside of dimension 1 of f32 [4 6]
  (at x 0 -7)
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-rank]: `at` takes at most 2 indices of f32 [4 6], not 3
  ; CHECK: :[[#@LINE+1]]:7: note: this operand is f32 [4 6]
  (at x 0 0 0)
  ; CHECK: :[[#@LINE+2]]:9: error[type-literal-range]: `0.5` is no integer, and the type is index
  ; CHECK: hint: write an integer, or a float type such as f32
  (at x 0.5)
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-axis]: the tensor has shape [4 6] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (dim x 2))
(defn splits [(: x (tensor 4 6 f32)) (: s (tensor f32))]
  ; CHECK: :[[#@LINE+3]]:12: error[tensor-shape]: `split`: 6 elements do not divide into 4 equal parts
  ; CHECK: :[[#@LINE+2]]:10: note: this operand is f32 [4 6]
  ; CHECK: hint: parts of different sizes are written [size ...]
  (split x 4 :axis 1)
  ; CHECK: :[[#@LINE+1]]:12: error[tensor-shape]: `split`: the parts have 5 elements, and axis 1 of f32 [4 6] has 6
  (split x [2 3] :axis 1)
  ; CHECK: :[[#@LINE+2]]:12: error[tensor-shape]: `split` takes a number of parts or a vector of sizes, not 0
  ; CHECK: hint: write (split tensor n :axis k) or (split tensor [size ...] :axis k)
  (split x 0)
  ; CHECK: :[[#@LINE+1]]:10: error[tensor-rank]: a tensor of one number has no axis to `split`
  (split s 2)
  ; CHECK: :[[#@LINE+1]]:8: error[parse-def]: 2 names for 3 values: f32 [4 2], f32 [4 2], f32 [4 2]
  (def [a b] (split x 3 :axis 1)))

; Shapes that hold other numbers of elements, and axes that are no permutation.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn reshapes [(: x (tensor 4 6 f32)) (: y (tensor n 6 f32)) (: s f32)]
  ; CHECK: :[[#@LINE+3]]:14: error[tensor-shape]: `reshape` keeps the number of elements, and f32 [4 6] does not become [5 5]
  ; CHECK: :[[#@LINE+2]]:12: note: this operand is f32 [4 6]
  ; CHECK: hint: one size may be _: it follows from the others
  (reshape x [5 5])
  ; CHECK: :[[#@LINE+3]]:14: error[tensor-shape]: `reshape` keeps the number of elements, and f32 [4 6] does not become [5 _]
  ; CHECK: :[[#@LINE+2]]:12: note: this operand is f32 [4 6]
  ; CHECK: hint: one size may be _: it follows from the others
  (reshape x [5 _])
  ; CHECK: :[[#@LINE+1]]:17: error[tensor-size]: `reshape` finds one size, and _ is there twice
  (reshape x [_ _])
  ; CHECK: :[[#@LINE+2]]:14: error[tensor-size]: `reshape` takes the sizes of a tensor, not 24
  ; CHECK: hint: sizes are a vector such as [16 n]; [] is a tensor of one number
  (reshape x 24)
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-size]: a size of a tensor is 0 or more, not -4
  (reshape x [-4 6])
  ; CHECK: :[[#@LINE+3]]:14: error[tensor-shape]: `reshape` keeps the number of elements, and f32 [n 6] does not become [n 5]
  ; CHECK: :[[#@LINE+2]]:12: note: this operand is f32 [n 6]
  ; CHECK: hint: one size may be _: it follows from the others
  (reshape y [n 5])
  ; CHECK: :[[#@LINE+1]]:12: error[tile-operand]: `reshape` takes a tile or a tensor, not f32
  (reshape s [1])
  ; CHECK: :[[#@LINE+1]]:16: error[tensor-axis]: `transpose` of shape [4 6] takes a vector of 2 axes, not
  (transpose x [0])
  ; CHECK: :[[#@LINE+1]]:19: error[tile-axis]: the axis 0 is given twice
  (transpose x [0 0])
  ; CHECK: :[[#@LINE+2]]:19: error[tensor-axis]: the tensor has shape [4 6] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (transpose x [0 2])
  ; CHECK: :[[#@LINE+2]]:14: error[tile-shape]: `transpose` exchanges the last two dimensions, and this tensor is f32 [6]
  ; CHECK: hint: (reshape tensor [n 1]) makes a column
  (transpose (sum x :axis 0))
  ; CHECK: :[[#@LINE+3]]:16: error[tensor-shape]: a tensor of f32 [4 6] does not broadcast to [4 5]
  ; CHECK: :[[#@LINE+2]]:14: note: this operand is f32 [4 6]
  ; CHECK: hint: sizes are compared from the last one; only a size of 1 is repeated
  (broadcast x [4 5])
  ; CHECK: :[[#@LINE+3]]:16: error[tensor-shape]: a tensor of f32 [4 6] does not broadcast to [6]
  ; CHECK: :[[#@LINE+2]]:14: note: this operand is f32 [4 6]
  ; CHECK: hint: sizes are compared from the last one; only a size of 1 is repeated
  (broadcast x [6])
  ; CHECK: :[[#@LINE+3]]:30: error[tensor-shape]: a tensor of f32 [6] does not broadcast to [n 7]
  ; CHECK: :[[#@LINE+2]]:14: note: this operand is f32 [6]
  ; CHECK: hint: sizes are compared from the last one; only a size of 1 is repeated
  (broadcast (sum y :axis 0) [n 7])
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: cannot cast tensor<4x6xf32> to tensor<6x4xf32>
  (cast (tensor 6 4 f32) x))

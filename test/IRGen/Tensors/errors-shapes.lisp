; Shapes of tensors that do not broadcast, axes and sizes that they lack.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn broadcasting [(: x (tensor 2 3 f32)) (: y (tensor 4 3 f32)) (: z (tensor n 4 f32))]
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-shape]: `+`: the shapes of f32 [2 3] and f32 [4 3] do not broadcast
  ; CHECK: :[[#@LINE+3]]:6: note: this operand is f32 [2 3]
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is f32 [4 3]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1: (reshape x [n 1]) and :keep true make a dimension of 1
  (+ x y)
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-shape]: `*`: the shapes of f32 [n 4] and f32 [3] do not broadcast
  ; CHECK: :[[#@LINE+3]]:6: note: this operand is f32 [n 4]
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is f32 [3]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1: (reshape x [n 1]) and :keep true make a dimension of 1
  (* z (sum x :axis 0))
  ; CHECK: :[[#@LINE+4]]:20: error[tensor-shape]: `where`: the shapes of i1 [2 3] and f32 [4 3] do not broadcast
  ; CHECK: :[[#@LINE+3]]:10: note: this operand is i1 [2 3]
  ; CHECK: :[[#@LINE+2]]:20: note: this operand is f32 [4 3]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1: (reshape x [n 1]) and :keep true make a dimension of 1
  (where (> x 0.0) y 0.0)
  ; CHECK: :[[#@LINE+4]]:18: error[tensor-shape]: `and`: the shapes of i1 [2 3] and i1 [4 3] do not broadcast
  ; CHECK: :[[#@LINE+3]]:8: note: this operand is i1 [2 3]
  ; CHECK: :[[#@LINE+2]]:18: note: this operand is i1 [4 3]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1: (reshape x [n 1]) and :keep true make a dimension of 1
  (and (> x 0.0) (> y 0.0))
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-shape]: `+`: the shapes of f32 [2 3] and f32 [2] do not broadcast
  ; CHECK: :[[#@LINE+3]]:6: note: this operand is f32 [2 3]
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is f32 [2]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1: (reshape x [n 1]) and :keep true make a dimension of 1
  (+ x (sum x :axis 1)))
(defn axes [(: x (tensor n 3 f32)) (: k index)]
  ; CHECK: :[[#@LINE+2]]:16: error[tensor-axis]: the tensor has shape [? 3] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (sum x :axis 2)
  ; CHECK: :[[#@LINE+2]]:16: error[tensor-axis]: the tensor has shape [? 3] and no axis -3
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (max x :axis -3)
  ; CHECK: :[[#@LINE+1]]:20: error[tile-axis]: the axis 0 is given twice
  (mean x :axes [0 0])
  ; CHECK: :[[#@LINE+1]]:16: error[tile-axis]: an axis is a constant, and `k` is known only when the program runs
  (sum x :axis k)
  ; CHECK: :[[#@LINE+2]]:19: error[tensor-axis]: the tensor has shape [? 3] and no axis 5
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (argmax x :axis 5)
  ; CHECK: :[[#@LINE+2]]:16: error[tile-axis]: `:axes` is a vector of axes, not a number
  ; CHECK: hint: one axis is :axis 1
  (sum x :axes 1)
  ; CHECK: :[[#@LINE+1]]:24: error[tile-axis]: `sum` takes :axis or :axes, not both
  (sum x :axis 0 :axes [1])
  ; CHECK: :[[#@LINE+2]]:22: error[tensor-axis]: the tensor has shape [] and no axis 0
  ; CHECK: hint: it has no axes
  (sum (sum x) :axis 0)
  ; CHECK: :[[#@LINE+1]]:16: error[macro-shape]: `:keep` is true or false, not 1
  (sum x :keep 1))

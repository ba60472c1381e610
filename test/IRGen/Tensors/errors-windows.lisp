; What windows cannot be.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn windows-of [(: x (tensor 4 6 f32)) (: i index)]
  ; CHECK: :[[#@LINE+3]]:3: error[tensor-window]: a window of 7 elements does not fit into axis 1, which has 6 elements
  ; CHECK: :[[#@LINE+2]]:12: note: with what is around it this operand is f32 [4 6]
  ; CHECK: hint: :pad puts elements around
  (windows x [7])
  ; CHECK: :[[#@LINE+1]]:3: error[tensor-window]: a window of 3 elements, 3 apart, does not fit into axis 1, which has 6 elements
  (windows x [3] :dilation 3)
  ; CHECK: :[[#@LINE+2]]:14: error[tensor-window]: windows of 3 dimensions, and the tensor is f32 [4 6]
  ; CHECK: :[[#@LINE+1]]:12: note: this operand is f32 [4 6]
  (windows x [1 1 1])
  ; CHECK: :[[#@LINE+1]]:24: error[tensor-window]: `:axes` is a vector with an axis for each of the 1 sizes, not [0 1]
  (windows x [2] :axes [0 1])
  ; CHECK: :[[#@LINE+1]]:29: error[tensor-axis]: the axis 0 is given twice
  (windows x [2 2] :axes [0 0])
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-window]: a window has at least 1 element along each axis, not 0
  (windows x [0])
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-window]: the stride of windows is at least 1, not 0
  (windows x [2] :stride 0)
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-window]: the stride of windows is a constant, and `i` is known only when the program runs
  (windows x [2] :stride i)
  ; CHECK: :[[#@LINE+2]]:26: error[tensor-window]: `:stride` takes a number, or a vector of 1, one for each axis, not [1 2]
  ; CHECK: :[[#@LINE+1]]:14: note: these are the sizes of the windows
  (windows x [2] :stride [1 2])
  ; CHECK: :[[#@LINE+2]]:23: error[tensor-window]: `:pad` takes a number, or a vector of 1, one for each axis, not [1 2]
  ; CHECK: hint: an axis has one number or [before after]: {{\[\[1 2\]\]}}
  (windows x [2] :pad [1 2])
  ; CHECK: :[[#@LINE+1]]:23: error[tensor-window]: the number of elements around a tensor is at least 0, not -1
  (windows x [2] :pad -1)
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-window]: `:pad` of an axis is a number or [before after], not [1]
  (windows x [2 1] :pad [[1] 0])
  ; CHECK: :[[#@LINE+1]]:31: error[tensor-window]: `windows` takes :pad or :crop, not both
  (windows x [2] :pad 1 :crop 1))

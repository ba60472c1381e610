; Values where others are needed: records and numbers as tensors, new tensors that nothing uses.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])

(defn records [(: l Linear)]
  ; CHECK: :[[#@LINE+2]]:6: error[type-mismatch]: `+` takes numbers and tensors, and this is a Linear
  ; CHECK: hint: (:field record) reads a field
  (+ l 1.0)
  ; CHECK: :[[#@LINE+1]]:10: error[type-mismatch]: `<` takes numbers and tensors, and this is a Linear
  (< 0.0 l)
  ; CHECK: :[[#@LINE+2]]:8: error[tile-operand]: `sum` takes a tile or a tensor, not a Linear
  ; CHECK: hint: a tensor is made by zeros, full, iota, stack and load
  (sum l)
  ; CHECK: :[[#@LINE+1]]:9: error[tensor-operand]: `host` takes a tensor, not a Linear
  (host l)
  0)

(defn numbers [(: m memref<4xf32>) (: x (tensor 4 f32)) (: i (tensor 4 i32))]
  ; CHECK: :[[#@LINE+2]]:8: error[tile-operand]: `sum` takes a tile or a tensor, not memref<4xf32>
  ; CHECK: hint: (load m) reads a memref as a tensor
  (sum m)
  ; CHECK: :[[#@LINE+2]]:9: error[tensor-operand]: `host` takes a tensor, not memref<4xf32>
  ; CHECK: hint: (load m) reads a memref as a tensor
  (host m)
  ; CHECK: :[[#@LINE+2]]:17: error[type-mismatch]: printf cannot take f32 [4]
  ; CHECK: hint: (println x) prints a tensor
  (println "%f" x)
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-shape]: `concat` takes tensors of one type that differ along axis 0 only, and these are f32 [4] and i32 [4]
  ; CHECK: hint: (cast f32 i) converts
  (concat x i)
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-shape]: `pad` of f32 [4] takes a vector of 1 pair of numbers, not [1 1]
  ; CHECK: hint: write (pad tensor {{\[\[}}before after] ...] value)
  (pad x [1 1])
  ; CHECK: :[[#@LINE+2]]:16: error[tensor-axis]: `transpose` of shape [4] takes a vector of 1 axes, not [1 0]
  ; CHECK: hint: axis i of the result is the axis of the tensor that element i of the vector names
  (transpose x [1 0])
  ; CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error[type-mismatch]: the next value of `fold` is f32 [8], and it carries f32 [4]
  (fold [y (: x (tensor 4 f32))] [k 0 3] (concat y x))
  ; CHECK: :[[#@LINE+2]]:25: error[type-mismatch]: the next value of `fold` is f32 [], and it carries f32
  ; CHECK: hint: (at value) is the number of a tensor without dimensions
  (fold [s 0.0] [k 0 3] (+ s (sum x))))

(defn vectors []
  ; CHECK: :[[#@LINE+2]]:12: error[name-no-value]: a vector is several values, and one is expected here
  ; CHECK: hint: a tensor of numbers is written with its type: (: [1.0 2.0] (tensor 2 f32))
  (println [1.0 2.0])
  ; One name would be the first value, silently.
  ; CHECK: :[[#@LINE+2]]:10: error[name-no-value]: a vector is several values, and one is expected here
  ; CHECK: hint: a tensor of numbers is written with its type: (: {{.*}} (tensor 2 3 f32))
  (def x [[1.0 2.0 3.0] [4.0 5.0 6.0]]))

(defn misspelt [(: x (tensor 4 f32))]
  ; CHECK: :[[#@LINE+2]]:4: error[parse-head]: unknown form `sofmax`
  ; CHECK: hint: did you mean `softmax`?
  (sofmax x))

; What is not `inout` is not changed.
; CHECK: :[[#@LINE+3]]:3: warning[tensor-inout]: this makes a tensor that nothing uses, and leaves x as it is
; CHECK: hint: name the tensor, (def new (update ...)), or declare the parameter `inout`
(defn unchanged [(: x (tensor 4 f32))]
  (update x (zeros f32 [1]) [0])
  x)

; The result is an i32.
; CHECK: :[[#@LINE+2]]:3: error[tensor-size]: `argmin` gives an i32, which cannot number 4294967296 elements
(defn far [(: x (tensor 65536 65536 i8))]
  (argmin x))

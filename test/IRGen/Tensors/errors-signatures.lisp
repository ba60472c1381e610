; Signatures with tensors, calls and results that do not fit them.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+3]]:35: error[parse-block-arg]: the size `n` has the name of a keyword
; CHECK: :46: note: the keyword is here
; CHECK: hint: the name of a size is an index value in the body: choose another one
(defn keyword-clash [(: x (tensor n f32)) & {:n 2}] (sum x))
; CHECK: :[[#@LINE+1]]:31: error[type-parse]: `n` is no type: expected non-function type
(defn no-type [(: x (tensor 3 n))] x)
; CHECK: :[[#@LINE+1]]:34: error[type-parse]: a dimension is a number, a name, or _ for any size, not "n"
(defn no-dimension [(: x (tensor "n" f32))] x)
(defn matmul [(: x (tensor m k f32)) (: y (tensor k n f32))] -> (tensor m n f32) (zeros f32 [m n]))
(defn calls [(: x (tensor 2 3 f32)) (: y (tensor 4 5 f32)) (: m memref<3x5xf32>)]
  ; CHECK: :[[#@LINE+4]]:13: error[tensor-size]: `matmul`: the size `k` is 3 in `x`, f32 [2 3], and 4 in `y`, f32 [4 5]
  ; CHECK: :[[#@LINE+3]]:11: note: this argument is f32 [2 3]
  ; CHECK: note: the type is declared here
  ; CHECK: hint: sizes of one name are equal in a call
  (matmul x y)
  ; CHECK: :[[#@LINE+2]]:13: error[call-type]: argument 2 of `matmul` has type f32 [3], not f32 [? ?]
  ; CHECK: note: `matmul` is defined here: (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  (matmul x (zeros f32 [3]))
  ; CHECK: :[[#@LINE+2]]:13: error[call-type]: argument 2 of `matmul` has type f64 [3 2], not f32 [? ?]
  ; CHECK: note: `matmul` is defined here: (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  (matmul x (zeros f64 [3 2]))
  ; CHECK: :[[#@LINE+1]]:13: error[type-literal-range]: `2.0` cannot be a literal of type tensor<?x?xf32>
  (matmul x 2.0)
  ; CHECK: :[[#@LINE+2]]:15: error[call-arity]: `matmul` takes 2 arguments, not 3
  ; CHECK: note: `matmul` is defined here: (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  (matmul x m y)
  ; CHECK: :[[#@LINE+2]]:10: error[call-type]: argument 1 of `fixed` has type f32 [4 5], not f32 [3 5]
  ; CHECK: note: `fixed` is defined here: (tensor<3x5xf32>) -> tensor<3x5xf32>
  (fixed y))
(defn fixed [(: x (tensor 3 5 f32))] -> (tensor 3 5 f32) x)
; CHECK: :[[#@LINE+2]]:63: error[type-mismatch]: `wrong-size` returns f32 [? 4], and its last form has type f32 [? 5]
; CHECK: hint: correct the sizes after `->`, or leave `->` out: the result follows from the body
(defn wrong-size [(: x (tensor 3 n f32))] -> (tensor n 4 f32) (zeros f32 [n 5]))
; CHECK: :[[#@LINE+2]]:54: error[name-undefined]: no parameter of `wrong-name` has the size `k`
; CHECK: hint: _ stands for any size
(defn wrong-name [(: x (tensor 3 n f32))] -> (tensor k f32) (sum x :axis 0))
; CHECK: :[[#@LINE+2]]:64: error[type-mismatch]: `wrong-element` returns f16 [?], and its last form has type f32 [?]
; CHECK: hint: (cast f16 value) converts
(defn wrong-element [(: x (tensor 3 n f32))] -> (tensor n f16) (sum x :axis 0))
; CHECK: :[[#@LINE+2]]:29: error[parse-block-arg]: the size `n` has the name of a parameter
; CHECK: hint: the name of a size is an index value in the body: choose another one
(defn clash [(: n (tensor 3 n f32))] -> (tensor n f32) (sum n :axis 0))
; The argument's shape, where the parameter's type says less.
(defn columns [(: x (tensor t 3 f32)) (: y (tensor t 4 f32))] (sum x :axis 1))
(defn calls-columns []
  ; CHECK: :[[#@LINE+1]]:30: error[tensor-size]: `columns`: the size `t` is 2 in `x`, f32 [2 3], and 5 in `y`, f32 [5 4]
  (columns (zeros f32 [2 3]) (zeros f32 [5 4])))

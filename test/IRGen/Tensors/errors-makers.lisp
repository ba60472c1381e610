; Tensors that cannot be made.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn makers [(: n index) (: f f32)]
  ; CHECK: :[[#@LINE+1]]:17: error[tensor-size]: a size of a tensor is an index, an integer, or a tensor of one integer, not f32
  (zeros f32 [n f])
  ; CHECK: :[[#@LINE+2]]:14: error[tensor-size]: `zeros` takes the sizes of a tensor, not n
  ; CHECK: hint: sizes stand in a vector one by one, [n m]: a function takes each as a parameter
  (zeros f32 n)
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-size]: a size of a tensor is 0 or more, not -1
  (zeros f32 [-1])
  ; CHECK: :[[#@LINE+2]]:14: error[tensor-size]: `empty` takes the sizes of a tensor, not n
  ; CHECK: hint: sizes stand in a vector one by one, [n m]: a function takes each as a parameter
  (empty f32 n)
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-size]: a size of a tensor is 0 or more, not -1
  (empty f32 [-1])
  ; CHECK: :[[#@LINE+1]]:10: error[type-mismatch]: the elements of a tensor are floats, integers or index, not memref<3xf32>
  (empty memref<3xf32> [2])
  ; CHECK: :[[#@LINE+1]]:10: error[tensor-size]: a tensor of f32 [4294967296 4294967296] has more bytes than an address reaches
  (* 2.0 (full f32 [4294967296 4294967296] 1.0))
  ; CHECK-NOT: has more bytes
  ; CHECK: :[[#@LINE+1]]:10: error[type-mismatch]: the elements of a tensor are floats, integers or index, not memref<3xf32>
  (zeros memref<3xf32> [2])
  ; CHECK: :[[#@LINE+2]]:17: error[type-mismatch]: the value of a tensor of f32 is index
  ; CHECK: hint: (cast f32 n) converts
  (full f32 [n] n)
  ; CHECK: :[[#@LINE+2]]:17: error[type-literal-range]: `1.5` is no integer, and the type is i32
  ; CHECK: hint: write an integer, or a float type such as f32
  (full i32 [n] 1.5)
  ; CHECK: :[[#@LINE+1]]:9: error[type-mismatch]: `iota` counts in integers, index or floats, not in i1
  (iota i1 [n])
  ; CHECK: :[[#@LINE+2]]:3: error[tensor-axis]: `iota` of shape [? ?] needs the axis along which it counts
  ; CHECK: hint: write :axis 0 to :axis 1
  (iota i32 [n n])
  ; CHECK: :[[#@LINE+2]]:23: error[tensor-axis]: the tensor has shape [?] and no axis 1
  ; CHECK: hint: its axes are 0, or from the end -1
  (iota i32 [n] :axis 1)
  ; CHECK: :[[#@LINE+1]]:3: error[tensor-axis]: `iota` of shape [] needs the axis along which it counts
  (iota i32 []))

; Tensors that are put together, replaced and chosen from.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn joined [(: x (tensor 4 6 f32)) (: y (tensor 4 5 f32)) (: z (tensor 4 6 bf16)) (: r (tensor 6 f32)) (: i (tensor 3 i32)) (: m memref<4x5xf32>)]
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-shape]: `concat` takes tensors of one type that differ along axis 0 only, and these are f32 [4 6] and f32 [4 5]
  ; CHECK: :[[#@LINE+1]]:11: note: this operand is f32 [4 6]
  (concat x y)
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-shape]: `concat` takes tensors of one type that differ along axis 1 only, and these are f32 [4 6] and bf16 [4 6]
  ; CHECK: :[[#@LINE+1]]:11: note: this operand is f32 [4 6]
  (concat x z :axis 1)
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-shape]: `concat` takes tensors of one type that differ along axis 0 only, and these are f32 [4 6] and f32 [6]
  ; CHECK: :[[#@LINE+1]]:11: note: this operand is f32 [4 6]
  (concat x r)
  ; CHECK: :[[#@LINE+1]]:13: error[tensor-operand]: `concat` takes a tensor, not f64
  (concat x 1.0)
  ; CHECK: :[[#@LINE+2]]:12: error[tensor-shape]: `stack` takes tensors of one type and one shape, and these are f32 [4 6] and f32 [4 5]
  ; CHECK: :[[#@LINE+1]]:10: note: this operand is f32 [4 6]
  (stack x y)
  ; CHECK: :[[#@LINE+2]]:20: error[tensor-axis]: the tensor has shape [? ? ?] and no axis 3
  ; CHECK: hint: its axes are 0 to 2, or from the end -1 to -3
  (stack x x :axis 3)
  ; CHECK: :[[#@LINE+2]]:18: error[tensor-range]: `update`: the part from 2 of size 5 is not inside of dimension 1 of f32 [4 6]
  ; CHECK: hint: it begins at 0 to 1
  (update x y [0 2])
  ; CHECK: :[[#@LINE+3]]:13: error[tensor-shape]: `update` of f32 [4 6] by a part that is bf16 [4 6]
  ; CHECK: :[[#@LINE+2]]:11: note: the tensor is f32 [4 6]
  ; CHECK: hint: (cast f32 z) converts
  (update x z [0 0])
  ; CHECK: :[[#@LINE+3]]:13: error[tensor-shape]: `update` of f32 [6] by a part that is f32 [4 6]
  ; CHECK: :[[#@LINE+2]]:11: note: the tensor is f32 [6]
  ; CHECK: hint: a part has no more dimensions than the tensor
  (update r x [0])
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-rank]: `update` takes 2 offsets in a vector, one for each dimension, not [0]
  (update x r [0])
  ; CHECK: :[[#@LINE+1]]:16: error[tensor-range]: `update`: the part from 4 of size 1 is not inside of dimension 0 of f32 [4 6]
  (update x r [4 0])
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-shape]: `pad` of f32 [4 6] takes a vector of 2 pairs of numbers, not {{\[\[}}1 1]]
  ; CHECK: hint: write (pad tensor {{\[\[}}before after] ...] value)
  (pad x [[1 1]])
  ; CHECK: :[[#@LINE+1]]:20: error[tensor-size]: a size of a tensor is 0 or more, not -1
  (pad x [[1 1] [1 -1]])
  ; CHECK: :[[#@LINE+2]]:24: error[type-mismatch]: the value around a tensor of f32 is memref<4x5xf32>
  ; CHECK: hint: (cast f32 m) converts
  (pad x [[0 0] [1 1]] m)
  ; CHECK: :[[#@LINE+2]]:13: error[type-mismatch]: the indices of `gather` are integers, not f32 [6]
  ; CHECK: hint: (cast i32 r) converts
  (gather x r)
  ; CHECK: :[[#@LINE+2]]:32: error[tensor-range]: the index 3 is outside of axis 0, which has 3 elements
  ; CHECK: :[[#@LINE+1]]:11: note: the table is f32 [3 2]
  (gather (full f32 [3 2] 1.0) (: [0 3] (tensor 2 i32)))
  ; CHECK: error[tensor-range]: the index -1 is outside of axis 1, which has 1 element{{$}}
  (gather (full f32 [3 1] 1.0) (: [[0] [-1]] (tensor 2 1 i64)) :axis 1)
  ; CHECK: :[[#@LINE+2]]:21: error[tensor-axis]: the tensor has shape [? ?] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (gather x i :axis 2)
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-shape]: a tensor that is f32 [4 6] does not fit into memref<4x5xf32>
  ; CHECK: :[[#@LINE+1]]:12: note: the memref is memref<4x5xf32>
  (store x m)
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-shape]: a tensor that is bf16 [4 6] does not fit into memref<4x5xf32>
  ; CHECK: :[[#@LINE+1]]:12: note: the memref is memref<4x5xf32>
  (store z m))

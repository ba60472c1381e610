; Products whose factors do not fit.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn products [(: x (tensor 4 6 f32)) (: y (tensor 5 6 f32)) (: z (tensor 4 6 i32)) (: r (tensor 6 f32)) (: b (tensor 6 i1)) (: t (tensor 2 4 6 f32))
  (: p (tensor 6 6 index))]
  ; CHECK: :[[#@LINE+4]]:13: error[tensor-shape]: `matmul`: a dimension is 6 in f32 [4 6], and 5 in f32 [5 6]
  ; CHECK: :[[#@LINE+3]]:11: note: this factor is f32 [4 6]
  ; CHECK: :[[#@LINE+2]]:13: note: this factor is f32 [5 6]
  ; CHECK: hint: [... m k] and [... k n] share k; (transpose x) exchanges the last two dimensions
  (matmul x y)
  ; CHECK: :[[#@LINE+3]]:13: error[tensor-rank]: `matmul` takes [... m k] and [... k n], and these are f32 [4 6] and f32 []
  ; CHECK: :[[#@LINE+2]]:11: note: this factor is f32 [4 6]
  ; CHECK: hint: other products are written by `einsum`: (einsum "mk,k->m" a v)
  (matmul x (sum r))
  ; CHECK: :[[#@LINE+3]]:13: error[type-mismatch]: `matmul` multiplies tensors of one element type, and these are f32 [4 6] and i32 [4 6]
  ; CHECK: :[[#@LINE+2]]:11: note: this factor is f32 [4 6]
  ; CHECK: hint: (cast f32 z) converts
  (matmul x z)
  ; CHECK: :[[#@LINE+3]]:13: error[type-mismatch]: `matmul` multiplies tensors of one element type, and these are f32 [4 6] and i32 [6 4]
  ; CHECK: :[[#@LINE+2]]:11: note: this factor is f32 [4 6]
  ; CHECK: hint: (cast f32 (transpose z)) converts
  (matmul x (transpose z))
  ; CHECK: :[[#@LINE+1]]:13: error[tensor-operand]: `matmul` takes a tensor, not f64
  (matmul x 2.0)
  ; CHECK: :[[#@LINE+1]]:13: error[tensor-shape]: `matmul`: a dimension is 2 in f32 [2 4 6], and 3 in f32 [3 6 4]
  (matmul t (zeros f32 [3 6 4]))
  ; CHECK: :[[#@LINE+2]]:38: error[tile-precision]: a product has no precision `8`
  ; CHECK: hint: there are f32 (exact factors), tf32x3 and bf16x3 (as two terms each), tf32 and bf16 (rounded)
  (matmul x (transpose y) :precision 8)
  ; CHECK: :[[#@LINE+2]]:38: error[tile-precision]: a precision is for factors of f32, and these are of i32, which are exact
  ; CHECK: hint: leave out `:precision`
  (matmul z (transpose z) :precision bf16)
  ; CHECK: :[[#@LINE+1]]:32: error[type-mismatch]: the elements of a tensor are floats, integers or index, not memref<4xf32>
  (matmul x (transpose y) :out memref<4xf32>)
  ; CHECK: :[[#@LINE+2]]:27: error[macro-shape]: `matmul` does not know `:type`; its keywords are :out, :precision
  ; CHECK: hint: write (matmul a b :out type :precision p)
  (matmul x (transpose y) :type f32)
  ; CHECK: :[[#@LINE+4]]:25: error[tensor-shape]: `einsum`: `k` is 6 in f32 [4 6], and 5 in f32 [5 6]
  ; CHECK: :[[#@LINE+3]]:23: note: this factor is f32 [4 6]
  ; CHECK: :[[#@LINE+2]]:25: note: this factor is f32 [5 6]
  ; CHECK: hint: each letter is one size
  (einsum "mk,kn->mn" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: `einsum` needs the dimensions of the result after `->`
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum "mk,nk" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: the text names 1 factor, and there are 2
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum "mk->m" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: the result has `z`, which no factor has
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum "mk,nk->mz" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: the result has `m` twice
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum "mk,nk->mm" x y)
  ; CHECK: :[[#@LINE+2]]:24: error[tensor-einsum]: `n` names 1 dimension, and this factor is f32 [5 6]
  ; CHECK: :[[#@LINE+1]]:11: note: the text is here
  (einsum "mk,n->mn" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: a dimension is a letter, and this text has `m1`
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum "m1,nk->mn" x y)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-einsum]: the first operand of `einsum` is a text in quotes, not x
  ; CHECK: hint: letters for the dimensions of each factor, then of the result: "mk,kn->mn"
  (einsum x y)
  ; CHECK: :[[#@LINE+2]]:19: error[type-mismatch]: `einsum` multiplies numbers, not i1
  ; CHECK: hint: (cast i32 b) converts
  (einsum "k,k->" b b)
  ; CHECK: :[[#@LINE+2]]:11: error[type-mismatch]: `matmul` multiplies integers and floats, not index
  ; CHECK: hint: (cast i64 p) converts
  (matmul p p))

; What the forms of random numbers do not take.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn wrong [(: x (tensor n f32)) (: s (tensor n i32)) (: k f32)]
  ; CHECK: :[[#@LINE+1]]:16: error[type-mismatch]: `random-bits` makes numbers of i32 or i64, not of f32
  (random-bits f32 [n] :seed 1)
  ; CHECK: :[[#@LINE+1]]:11: error[type-mismatch]: `normal` makes numbers of a float type, not of i32
  (normal i32 [n] :seed 1)
  ; CHECK: :[[#@LINE+2]]:3: error[macro-shape]: `uniform` needs a seed
  ; CHECK: hint: the same seed and stream give the same numbers: write :seed 1
  (uniform f32 [n])
  ; CHECK: :[[#@LINE+1]]:26: error[type-mismatch]: the seed and the stream of `uniform` are integers, or tensors of one integer, not f32
  (uniform f32 [n] :seed k)
  ; CHECK: :[[#@LINE+1]]:36: error[type-mismatch]: the seed and the stream of `uniform` are integers, or tensors of one integer, not i32 [?]
  (uniform f32 [n] :seed 1 :stream s)
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-size]: `normal` takes the sizes of its result, [n m], or a tensor that has them, not f32
  (normal f32 k :seed 1)
  ; CHECK: :[[#@LINE+1]]:27: error[macro-shape]: `normal` does not know `:scale`; its keywords are :seed, :stream
  (normal f32 [n] :seed 1 :scale 2.0))
(deftile noise {:const [n]} [(: m memref<?xf32>)]
  ; CHECK: :[[#@LINE+2]]:10: error[tile-operand]: `uniform` makes a tensor, and this is code of a kernel
  ; CHECK: hint: the kernel can take the tensor as an argument
  (store (uniform f32 [n] :seed 1) m [0]))
(defn launches [(: m memref<?xf32>)] (launch noise {:grid [1] :const {:n 64}} m))

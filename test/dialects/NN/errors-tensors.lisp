; nn ops on tensors: what a program may get wrong.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect nn)

(defn kinds [(: x (tensor t 4 f32)) (: m memref<?x4xf32>) (: w (tensor 3 4 f32)) (: b memref<3xf32>)]
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.softmax`: takes tensors or memrefs, not both: x is a tensor ('tensor<?x4xf32>'), out a memref ('memref<?x4xf32>'); (load m) reads a memref as a tensor
  (nn.softmax x m)
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.softmax`: takes tensors or memrefs, not both: x is a memref ('memref<?x4xf32>'), out a tensor ('tensor<?x4xf32>')
  (nn.softmax m x)
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.linear`: takes tensors or memrefs, not both: x is a tensor ('tensor<?x4xf32>'), bias a memref ('memref<3xf32>')
  (nn.linear x w [b] [] (zeros f32 [t 3])))

(defn sizes [(: x (tensor 2 4 f32)) (: w (tensor 3 5 f32)) (: v (tensor 4 f32)) (: h (tensor 2 4 f16))]
  ; CHECK: :[[#@LINE+1]]:3: error[op-operands]: `nn.softmax` takes 2 operands, not 1
  (nn.softmax x)
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.linear`: K differs: x has 4 ('tensor<2x4xf32>'), weight has 5 ('tensor<3x5xf32>')
  (nn.linear x w [] [] (zeros f32 [2 3]))
  ; CHECK: :[[#@LINE+1]]:15: error[op-operands]: `nn.softmax`: operand #0 must be a matrix of f32 or bf16 such as memref<?x?xf32> or tensor<?x?xf32>, but got 'tensor<4xf32>'
  (nn.softmax v v)
  ; CHECK: :[[#@LINE+1]]:15: error[op-operands]: `nn.softmax`: operand #0 must be a matrix of f32 or bf16 such as memref<?x?xf32> or tensor<?x?xf32>, but got 'tensor<2x4xf16>'
  (nn.softmax h h))

; No division of the operands among the groups fits; what is wrong with one says more.
(defn state [(: q (tensor 1 2 64 f32)) (: keys (tensor 2 8 64 f32)) (: at (tensor 1 i32)) (: random (tensor 1 i64)) (: x (tensor 9 f32))]
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.attention`: key_cache is a tensor ('tensor<2x8x64xf32>'): what stays in memory between calls is a memref, also of an op on tensors
  (nn.attention q q q keys keys at q)
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: `nn.sample`: state is a tensor ('tensor<1xi64>')
  (nn.sample x x random (: 0.0 f32) (: 0 i32) (: 1.0 f32) (zeros i32 [1])))

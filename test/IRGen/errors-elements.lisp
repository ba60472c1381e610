; What a global or a literal holds fits its type: as many elements at each level.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect memref func llvm vector)

; CHECK: :[[#@LINE+2]]:70: error[attr-kind]: tensor<4xf32> has 4 elements here, not 3
; CHECK: {{^ {71}\^~~~~~~$}}
(memref.global {:sym_name "three" :type memref<4xf32> :initial_value [1 2 3]})
; CHECK: :[[#@LINE+2]]:80: error[attr-kind]: tensor<2x2xi32> has 2 elements here, not 1
; CHECK: {{^ {81}\^~~$}}
(memref.global {:sym_name "ragged" :type memref<2x2xi32> :initial_value [[1 2] [3]]})
; CHECK: :[[#@LINE+3]]:69: error[attr-kind]: `:initial_value` does not fit tensor<4xf32>
; CHECK: {{^ {70}\^~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: MLIR says: inferred shape of elements literal ([2]) does not match type ([4])
(memref.global {:sym_name "text" :type memref<4xf32> :initial_value "dense<[1.0, 2.0]>"})
; CHECK: :[[#@LINE+1]]:106: error[attr-kind]: tensor<3xi8> has 3 elements here, not 2
(llvm.mlir.global {:sym_name "array" :global_type "!llvm.array<3 x i8>" :linkage 0 :constant true :value [1 2]})
; CHECK: :[[#@LINE+1]]:20: error[attr-kind]: vector<2xi32> has 2 elements here, not 3
(defn vector [] (: [1 2 3] vector<2xi32>) (func.return))
; MLIR's own check would take the vector for a tensor.
; CHECK: :[[#@LINE+3]]:71: error[attr-kind]: the initial value of a `memref.global` has the type of a tensor, not vector<4xi32>
; CHECK: {{^ {72}\^~~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: write tensor<4xi32>
(memref.global {:sym_name "holder" :type memref<4xi32> :initial_value "dense<1> : vector<4xi32>"})
; CHECK: :[[#@LINE+3]]:83: error[type-size]: a vector has at most 65536 elements, and this one is vector<99999999999xf32>
; CHECK: hint: vectors are for registers; what is larger belongs in a memref or a tensor
(defn large [(: m memref<9xf32>)]
  (print "%g" (cast f64 (vector.reduction {:kind "#vector.kind<add>" :result f32} (vector.load {:result vector<99999999999xf32>} m (: 0 index))))))

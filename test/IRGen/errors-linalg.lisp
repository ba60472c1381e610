; What a linalg op is checked for before it is built.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect linalg)

; CHECK: :[[#@LINE+2]]:36: error[linalg-counts]: `linalg.fill` has 2 operands; `:ins` and `:outs` make 3
; CHECK: {{^ {37}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
(defn counts [(: m memref<4xf32>)] (linalg.fill {:ins 2 :outs 1} 0.0 m))
; CHECK: :[[#@LINE+2]]:3: error[linalg-maps]: `linalg.generic` has 2 operands and 1 indexing maps
(defn maps [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)>] :iterator_types [:parallel]}
    m m (region (block [a b] (linalg.yield a)))))
; CHECK: :[[#@LINE+2]]:3: error[linalg-maps]: indexing map 2 gives 2 indices for an operand of type memref<4xf32>
(defn rank [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i, i)>] :iterator_types [:parallel]}
    m m (region (block [a b] (linalg.yield a)))))
; CHECK: :[[#@LINE+2]]:3: error[linalg-maps]: indexing map 1 has 1 dimensions, and there are 2 iterator types
(defn iterators [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i)>] :iterator_types [:parallel :parallel]}
    m m (region (block [a b] (linalg.yield a)))))
; CHECK: :[[#@LINE+4]]:114: error[attr-kind]: `:iterator_types` of `linalg.generic` cannot be [:paralel]
; CHECK: {{^ {115}\^~~~~~~~~~$}}
; CHECK: hint: expected: Iterator type should be an enum.
(defn iterator [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i)>] :iterator_types [:paralel]}
    m m (region (block [a b] (linalg.yield a)))))
; CHECK: :[[#@LINE+4]]:25: error[type-mismatch]: this argument of `linalg.generic` has type f32, not i32
; CHECK: {{^ {26}\^~~~~~~~~$}}
(defn argument [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i)>] :iterator_types [:parallel]}
    m m (region (block [(: a i32) b] (linalg.yield b)))))
; CHECK: :[[#@LINE+4]]:36: error[parse-block-arg]: the first block of this `linalg.add` has 3 arguments, not 2
; CHECK: {{^ {37}\^~~~~$}}
; CHECK: hint: they are: f32, f32, f32
(defn arguments [(: m memref<4xf32>)]
  (linalg.add m m m (region (block [a b] (linalg.yield a)))))
; CHECK: :[[#@LINE+3]]:3: error[op-regions]: `linalg.generic` needs its region
; CHECK: hint: write (region (block [(: x f32) ...] ... (linalg.yield value)))
(defn no-region [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i)>] :iterator_types [:parallel]} m m))
; CHECK: :[[#@LINE+4]]:53: error[term-missing]: this block of `linalg.add` does not end with a terminator
; CHECK: {{^ {54}\^$}}
; CHECK: hint: end it with the op that ends such a block, (linalg.yield value ...) for example
(defn no-yield [(: m memref<4xf32>)]
  (linalg.add m m m (region (block [a b c] (def z a)))))
; Named ops whose number of operands is fixed: their region builders would read beyond the end.
; CHECK: :[[#@LINE+2]]:33: error[linalg-counts]: `linalg.add` takes 3 operands, not 1
; CHECK: {{^ {34}\^~~~~~~~~~~~~~$}}
(defn few [(: m memref<4xf32>)] (linalg.add m))
; CHECK: :[[#@LINE+2]]:52: error[linalg-counts]: `linalg.add` takes 3 operands, not 4
; CHECK: {{^ {53}\^$}}
(defn many [(: m memref<4xf32>)] (linalg.add m m m m))
; CHECK: :[[#@LINE+2]]:34: error[linalg-counts]: `linalg.copy` takes 2 operands, not 1
; CHECK: {{^ {35}\^~~~~~~~~~~~~~~$}}
(defn copy [(: m memref<4xf32>)] (linalg.copy m))
; CHECK: :[[#@LINE+2]]:36: error[linalg-counts]: `linalg.select` takes 4 operands, not 2
; CHECK: {{^ {37}\^~~~~~~~~~~~~~~~~~~$}}
(defn select [(: m memref<4xf32>)] (linalg.select m m))
; CHECK: :[[#@LINE+2]]:41: error[linalg-counts]: `linalg.elementwise` takes 3 operands, not 2
; CHECK: {{^ {42}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
(defn elementwise [(: m memref<4xf32>)] (linalg.elementwise {:kind add} m m))
; CHECK: :[[#@LINE+2]]:39: error[linalg-counts]: `linalg.add` has one output, not 0
; CHECK: {{^ {40}\^~~~~~~~~~~~~~~~~~~~~~~$}}
(defn no-output [(: m memref<4xf32>)] (linalg.add [m m m] []))
; CHECK: :[[#@LINE+2]]:37: error[linalg-counts]: `linalg.fill` has one output, not 0
; CHECK: {{^ {38}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
(defn no-fill [(: m memref<4xf32>)] (linalg.fill {:ins 2} 0.0 m))
; CHECK: :[[#@LINE+2]]:65: error[linalg-counts]: `:outs` of `linalg.fill` is the number of its outputs, not 1.5
; CHECK: {{^ {66}\^~~$}}
(defn fraction [(: m memref<4xf32>)] (linalg.fill {:ins 2 :outs 1.5} 0.0 m))
; CHECK: :[[#@LINE+2]]:61: error[linalg-counts]: `:outs` of `linalg.fill` is the number of its outputs, not &
; CHECK: {{^ {62}\^$}}
(defn rest [(: m memref<4xf32>)] (linalg.fill {:ins 1 :outs &} 0.0 m))
; CHECK: :[[#@LINE+2]]:56: error[type-mismatch]: the output of `linalg.max` is a memref or a tensor, and this is vector<4xf32>
; CHECK: hint: forms such as + and max work on vectors
(defn of-vectors [(: v vector<4xf32>)] (linalg.max v v v))
; Maps of an op that has its own would be attributes that nothing reads, and texts are no maps.
; CHECK: :[[#@LINE+3]]:42: error[linalg-maps]: `linalg.transpose` has indexing maps of its own, and takes none
; CHECK: {{^ {43}\^~+$}}
; CHECK-NEXT: hint: linalg.generic takes :indexing_maps
(defn transposed [(: m memref<4x4xf32>)] (linalg.transpose {:indexing_maps ["affine_map<(i, j) -> (i, j)>"]} m))

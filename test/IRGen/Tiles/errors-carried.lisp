; Scatters, keywords, and tiles that loops and branches carry.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(deftile memory [(: m memref<?x?xf32>) (: v memref<?xi32>) (: s f32)]
  (def t (zeros f32 [4 8]))
  ; CHECK: :[[#@LINE+3]]:34: error[tile-shape]: `scatter`: the shapes [4] and [8] do not broadcast
  ; CHECK: :[[#@LINE+2]]:17: note: this operand is index [4]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (scatter t m [(iota index [4]) (iota index [8])])
  ; CHECK: :[[#@LINE+3]]:15: error[type-mismatch]: `atomic-add` of f32 [4 8] into a memref of i32
  ; CHECK: :[[#@LINE+2]]:17: note: the memref is memref<?xi32>
  ; CHECK: hint: (cast i32 t) converts
  (atomic-add t v [(iota index [4])])
  ; CHECK: :[[#@LINE+2]]:28: error[macro-shape]: `:mask` belongs to a store of a tile, and this is f32
  ; CHECK: hint: write (when condition (store ...))
  (store 1.0 m [0 0] :mask true)
  ; CHECK: :[[#@LINE+2]]:31: error[macro-shape]: `:mask` is given twice
  ; CHECK: hint: write (load memref [index ...] [size ...] :else value :mask tile)
  (load m [0 0] [4 8] :mask t :mask t)
  ; CHECK: :[[#@LINE+2]]:23: error[macro-shape]: `:else` has no value
  ; CHECK: hint: write (load memref [index ...] [size ...] :else value :mask tile)
  (load m [0 0] [4 8] :else)
  ; CHECK: :[[#@LINE+3]]:17: error[tile-rank]: a tile of shape [1 4 8] has more dimensions than the memref, which has rank 2
  ; CHECK: :[[#@LINE+2]]:9: note: the memref is memref<?x?xf32>
  ; CHECK: hint: (reshape tile [1 n]) adds dimensions of size 1
  (load m [0 0] [1 4 8])
  ; CHECK: :[[#@LINE+3]]:10: error[tile-rank]: a tile of shape [1 4 8] has more dimensions than the memref, which has rank 2
  ; CHECK: :[[#@LINE+2]]:30: note: the memref is memref<?x?xf32>
  ; CHECK: hint: (reshape tile [n]) removes dimensions of size 1
  (store (reshape t [1 4 8]) m [0 0])
  ; CHECK: :[[#@LINE+3]]:46: error[tile-shape]: `+`: the shapes [4] and [4 8] do not broadcast
  ; CHECK: :[[#@LINE+2]]:42: note: this operand is f32 [4]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (fold [acc (zeros f32 [4])] [i 0 4] (+ acc t))
  ; CHECK: :[[#@LINE+2]]:19: error[type-mismatch]: this branch of `if` gives f32 [8 4], not f32 [4 8]
  ; CHECK: hint: both branches of `if` have one type
  (if (> s 0.0) t (zeros f32 [8 4]))
  ; CHECK: :[[#@LINE+1]]:42: error[type-mismatch]: the next value of `loop` is f32, and it carries f32 [4 8]
  (loop [x t] :while (> (sum x) 0.0) :do (sum x))
  ; CHECK: :[[#@LINE+2]]:7: error[type-mismatch]: a condition is an i1, not i1 [4 8]
  ; CHECK: hint: (all x) and (any x) are one i1 for all elements
  (if (> t 0.0) s s))

; Loads, stores and gathers that do not fit the memref.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(deftile memory [(: m memref<?x?xf32>) (: v memref<?xi32>) (: s f32)]
  (def t (zeros f32 [4 8]))
  ; CHECK: :[[#@LINE+2]]:11: error[tile-rank]: a memref of rank 2 has 2 indices, not 1
  ; CHECK: :[[#@LINE+1]]:9: note: the memref is memref<?x?xf32>
  (load m [0] [4 8])
  ; CHECK: :[[#@LINE+3]]:15: error[tile-rank]: a tile of shape [4 8] has more dimensions than the memref, which has rank 1
  ; CHECK: :[[#@LINE+2]]:9: note: the memref is memref<?xi32>
  ; CHECK: hint: (reshape tile [1 n]) adds dimensions of size 1
  (load v [0] [4 8])
  ; CHECK: :[[#@LINE+2]]:29: error[type-mismatch]: `:else` is f32, as the memref's elements, not i32
  ; CHECK: hint: (cast f32 (: 0 i32)) converts
  (load m [0 0] [4 8] :else (: 0 i32))
  ; CHECK: :[[#@LINE+2]]:29: error[type-mismatch]: `:else` is f32, as the memref's elements, not f32 [4 8]
  ; CHECK: hint: (where mask tile other) takes elements of another tile
  (load m [0 0] [4 8] :else (zeros f32 [4 8]))
  ; CHECK: :[[#@LINE+1]]:29: error[tile-shape]: the mask's shape [8 4] does not broadcast to [4 8], that of the tile
  (load m [0 0] [4 8] :mask (> (zeros f32 [8 4]) 0.0))
  ; CHECK: :[[#@LINE+2]]:29: error[type-mismatch]: a mask is a tile of i1, not f32 [4 8]
  ; CHECK: hint: compare: (< (iota index [n]) limit)
  (load m [0 0] [4 8] :mask t)
  ; CHECK: :[[#@LINE+2]]:12: error[type-mismatch]: an index of `load` is an integer, not f32 [4 8]
  ; CHECK: hint: `gather` reads from places that tiles name
  (load m [t 0] [4 8])
  ; CHECK: :[[#@LINE+1]]:12: error[type-mismatch]: an index of `load` is an integer, not f32
  (load m [s 0] [4 8])
  ; CHECK: :[[#@LINE+2]]:20: error[tile-size]: a size of a tile is a constant, and `s` is known only when the program runs
  ; CHECK: hint: name it in :const of deftile, and give the launch its values: {:s (f n :among [64 128])}
  (load m [0 0] [4 s])
  ; CHECK: :[[#@LINE+1]]:9: error[type-mismatch]: `load` takes a memref of numbers, not f32
  (load s [0] [4])
  ; CHECK: :[[#@LINE+2]]:23: error[macro-shape]: `:else` belongs to a load of a tile, and this one has no sizes
  ; CHECK: hint: write (load memref [index ...] [size ...] :else value :mask tile)
  (load m [0 0] :else 1.0)
  ; CHECK: :[[#@LINE+2]]:11: error[macro-shape]: the indices of `load` are a vector, not 0
  ; CHECK: hint: write (load memref [index ...] [size ...] :else value :mask tile)
  (load m 0 [4])
  ; CHECK: :[[#@LINE+3]]:10: error[type-mismatch]: `store` of bf16 [4 8] into a memref of f32
  ; CHECK: :[[#@LINE+2]]:24: note: the memref is memref<?x?xf32>
  ; CHECK: hint: (cast f32 (cast bf16 t)) converts
  (store (cast bf16 t) m [0 0])
  ; CHECK: :[[#@LINE+3]]:10: error[type-mismatch]: `store` of f32 [4 8] into a memref of i32
  ; CHECK: :[[#@LINE+2]]:12: note: the memref is memref<?xi32>
  ; CHECK: hint: (cast i32 t) converts
  (store t v [0])
  ; CHECK: :[[#@LINE+3]]:10: error[tile-rank]: a tile of shape [4 8] has more dimensions than the memref, which has rank 1
  ; CHECK: :[[#@LINE+2]]:23: note: the memref is memref<?xi32>
  ; CHECK: hint: (reshape tile [n]) removes dimensions of size 1
  (store (cast i32 t) v [0])
  ; CHECK: :[[#@LINE+1]]:26: error[tile-shape]: the mask's shape [3] does not broadcast to [4 8], that of the tile
  (store t m [0 0] :mask (> (zeros f32 [3]) 0.0))
  ; CHECK: :[[#@LINE+2]]:13: error[tile-operand]: `gather` takes tiles of indices, and these are scalars
  ; CHECK: hint: (load memref [index ...]) reads one element
  (gather m [0 0])
  ; CHECK: :[[#@LINE+3]]:31: error[tile-shape]: `gather`: the shapes [4] and [5] do not broadcast
  ; CHECK: :[[#@LINE+2]]:14: note: this operand is index [4]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (gather m [(iota index [4]) (iota index [5])])
  ; CHECK: :[[#@LINE+1]]:14: error[type-mismatch]: an index of `gather` is an integer or a tile of them, not f32 [4 8]
  (gather v [t])
  (scatter 1.0 v [(iota index [4])]))

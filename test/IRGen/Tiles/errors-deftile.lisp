; Options of deftile.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+2]]:24: error[tile-program]: `deftile` does not know `:warp`
; CHECK: hint: its keys are :const, :warps, :stages, :ring, :tune
(deftile a {:const [n] :warp 4} [(: m memref<?xf32>)] (store (zeros f32 [n]) m [0]))
; CHECK: :[[#@LINE+2]]:20: error[tile-program]: `:const` is a vector of names, not a symbol
; CHECK: hint: write :const [bm bn bk]; their values stand at the launch
(deftile b {:const n} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+2]]:23: error[tile-program]: the name `n` is there twice
; CHECK: :[[#@LINE+1]]:21: note: first here
(deftile c {:const [n n]} [(: m memref<?xf32>)] (store (zeros f32 [n]) m [0]))
; CHECK: :[[#@LINE+2]]:21: error[tile-program]: the name `m` is there twice
; CHECK: :[[#@LINE+1]]:29: note: first here
(deftile d {:const [m]} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+1]]:20: error[tile-program]: a block has 1, 2, 4, 8, 16 or 32 warps, not 3
(deftile e {:warps 3} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+1]]:21: error[tile-program]: a loop has at least one stage, not 0
(deftile f {:stages 0} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+1]]:19: error[tile-program]: `:ring` is true or false, not 4
(deftile p {:ring 4} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+1]]:20: error[tile-program]: `:warps` is a number, not many
(deftile g {:warps many} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
; CHECK: :[[#@LINE+1]]:31: error[tile-program]: `h` has no constant `k` to tune
(deftile h {:const [n] :tune {:k [1 2]}} [(: m memref<?xf32>)] (store (zeros f32 [n]) m [0]))
; CHECK: :[[#@LINE+1]]:34: error[tile-constant]: the values of a constant are a vector of numbers, not 64
(deftile i {:const [n] :tune {:n 64}} [(: m memref<?xf32>)] (store (zeros f32 [n]) m [0]))
; CHECK: :[[#@LINE+2]]:30: error[tile-program]: `:tune` is a map, not a vector
; CHECK: hint: write :tune {:bm [64 128]}
(deftile j {:const [n] :tune [n]} [(: m memref<?xf32>)] (store (zeros f32 [n]) m [0]))
; CHECK: :[[#@LINE+2]]:13: error[tile-program]: a parameter of a tile program is a memref or a number, not vector<4xf32>
; CHECK: hint: tiles are loaded in the program: (load memref [index ...] [size ...])
(deftile k [(: t vector<4xf32>)] (sum t))
; CHECK: :[[#@LINE+1]]:21: error[tile-program]: a constant is a name, not a number
(deftile l {:const [4]} [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))

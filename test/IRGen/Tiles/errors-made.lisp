; Tiles that cannot be made.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn made [(: n index) (: x vector<4xf32>)]
  ; CHECK: :[[#@LINE+2]]:15: error[tile-size]: a size of a tile is a constant, and `n` is known only when the program runs
  ; CHECK: hint: write a number
  (zeros f32 [n])
  ; CHECK: :[[#@LINE+1]]:17: error[tile-size]: a size of a tile is above 0, not 0
  (zeros f32 [4 0])
  ; CHECK: :[[#@LINE+2]]:14: error[tile-size]: a tile of 2048 x 1024 elements is too large: at most 1048576 are allowed
  ; CHECK: hint: walk over it in chunks: (fold [acc init] [i 0 n chunk] ...)
  (zeros f32 [2048 1024])
  ; CHECK: :[[#@LINE+2]]:14: error[tile-size]: `zeros` takes the sizes of a tile, not 4
  ; CHECK: hint: sizes are a vector such as [16 64]
  (zeros f32 4)
  ; CHECK: :[[#@LINE+2]]:14: error[tile-size]: `zeros` takes the sizes of a tile, not []
  ; CHECK: hint: sizes are a vector such as [16 64]
  (zeros f32 [])
  ; CHECK: :[[#@LINE+1]]:10: error[type-mismatch]: the elements of a tile are floats, integers or index, not memref<4xf32>
  (zeros memref<4xf32> [4])
  ; CHECK: :[[#@LINE+2]]:17: error[type-mismatch]: the value of a tile of f32 is index
  ; CHECK: hint: (cast f32 n) converts
  (full f32 [4] n)
  ; CHECK: :[[#@LINE+2]]:17: error[type-literal-range]: `1.5` is no integer, and the type is i32
  ; CHECK: hint: write an integer, or a float type such as f32
  (full i32 [4] 1.5)
  ; CHECK: :[[#@LINE+2]]:3: error[tile-axis]: `iota` of shape [4 4] needs the axis along which it counts
  ; CHECK: hint: write :axis 0 to :axis 1
  (iota i32 [4 4])
  ; CHECK: :[[#@LINE+1]]:9: error[type-mismatch]: `iota` counts in integers, index or floats, not in i1
  (iota i1 [4])
  ; CHECK: :[[#@LINE+2]]:23: error[tile-axis]: the tile has shape [4] and no axis 1
  ; CHECK: hint: its axes are 0, or from the end -1
  (iota i32 [4] :axis 1)
  ; CHECK: :[[#@LINE+1]]:12: error[tile-operand]: `reshape` takes a tile or a tensor, not index
  (reshape n [4])
  ; CHECK: :[[#@LINE+2]]:15: error[tile-size]: a size of a tile is a constant, and `n` is known only when the program runs
  ; CHECK: hint: write a number
  (reshape x [n])
  ; CHECK: :[[#@LINE+2]]:16: error[type-literal-range]: `1000` is out of the range of i8
  ; CHECK: hint: i16 holds it, where that is written: (: 1000 i16); as a float it is 1000.0
  (full i8 [4] 1000)
  ; CHECK: :[[#@LINE+2]]:15: error[tile-axis]: a grid has the dimensions 0, 1 and 2, and `3` is none
  ; CHECK: hint: write (program-id 0)
  (program-id 3)
  ; CHECK: :[[#@LINE+2]]:17: error[tile-axis]: a grid has the dimensions 0, 1 and 2, and `n` is none
  ; CHECK: hint: write (num-programs 0)
  (num-programs n)
  ; CHECK: :[[#@LINE+2]]:17: error[tile-size]: a size of a tile is a constant, and `n` is known only when the program runs
  ; CHECK: hint: write a number
  (broadcast x [n 4]))

; Shapes that do not fit, and axes that a tile does not have.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn shapes [(: a vector<4x8xf32>) (: b vector<4x6xf32>) (: c vector<3xf32>) (: d vector<8xf32>)]
  ; CHECK: :[[#@LINE+3]]:8: error[tile-shape]: `+`: the shapes [4 8] and [4 6] do not broadcast
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is f32 [4 8]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (+ a b)
  ; CHECK: :[[#@LINE+3]]:10: error[tile-shape]: `*`: the shapes [4 8] and [3] do not broadcast
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is f32 [4 8]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (* a d c)
  ; CHECK: :[[#@LINE+3]]:22: error[tile-shape]: `where`: the shapes [4 8] and [4 6] do not broadcast
  ; CHECK: :[[#@LINE+2]]:20: note: this operand is f32 [4 8]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (where (> a 0.0) a b)
  ; CHECK: :[[#@LINE+3]]:18: error[tile-shape]: `and`: the shapes [4 8] and [4 6] do not broadcast
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is i1 [4 8]
  ; CHECK: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (and (> a 0.0) (> b 0.0))
  ; CHECK: :[[#@LINE+2]]:16: error[tile-axis]: the tile has shape [4 8] and no axis 2
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (sum a :axis 2)
  ; CHECK: :[[#@LINE+2]]:19: error[tile-axis]: the tile has shape [4 8] and no axis -3
  ; CHECK: hint: its axes are 0 to 1, or from the end -1 to -2
  (max a :axes [0 -3])
  ; CHECK: :[[#@LINE+1]]:20: error[tile-axis]: the axis 0 is given twice
  (mean d :axes [0 0])
  ; CHECK: :[[#@LINE+1]]:24: error[tile-axis]: `min` takes :axis or :axes, not both
  (min a :axis 0 :axes [1])
  ; CHECK: :[[#@LINE+1]]:24: error[macro-shape]: `:keep` is true or false, not 1
  (any (> a 0.0) :keep 1)
  ; CHECK: :[[#@LINE+2]]:3: error[tile-axis]: `cumsum` of a tile of shape [4 8] needs an axis
  ; CHECK: hint: (cumsum a :axis -1) goes along the last one
  (cumsum a)
  ; CHECK: :[[#@LINE+2]]:19: error[tile-axis]: `argmax` of all elements has no dimension to keep
  ; CHECK: hint: give :axis
  (argmax a :keep true)
  ; CHECK: :[[#@LINE+2]]:14: error[tile-shape]: `reshape` keeps the number of elements, and [4 7] has 28 where [4 8] has 32
  ; CHECK: :[[#@LINE+1]]:12: note: this operand is f32 [4 8]
  (reshape a [4 7])
  ; CHECK: :[[#@LINE+3]]:16: error[tile-shape]: a tile of shape [4 8] does not broadcast to [4 16]
  ; CHECK: :[[#@LINE+2]]:14: note: this operand is f32 [4 8]
  ; CHECK: hint: sizes are compared from the last one; only a size of 1 is repeated
  (broadcast a [4 16])
  ; CHECK: :[[#@LINE+2]]:14: error[tile-shape]: `transpose` exchanges the last two dimensions, and this tile is f32 [8]
  ; CHECK: hint: (reshape tile [n 1]) makes a column
  (transpose d)
  ; CHECK: :[[#@LINE+1]]:19: error[tile-axis]: the axis 0 is given twice
  (transpose a [0 0])
  ; CHECK: :[[#@LINE+1]]:16: error[tile-axis]: `transpose` of shape [4 8] takes a vector of 2 axes, not
  (transpose a [0 1 2])
  ; CHECK: :[[#@LINE+2]]:10: error[macro-shape]: `sum` does not know `:axi`; its keywords are :axis, :axes, :keep
  ; CHECK: hint: write (sum tile :axis n :keep true)
  (sum a :axi 1)
  ; CHECK: :[[#@LINE+3]]:8: error[tile-shape]: `-`: the shapes [4 8] and [4] do not broadcast
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is f32 [4 8]
  ; CHECK: hint: (sum tile :axis n :keep true) and other reductions keep a size of 1, which is repeated
  (- a (mean a :axis 1))
  ; CHECK: :[[#@LINE+2]]:10: error[tensor-operand]: `slice` takes a tensor, not f32 [4 8]
  ; CHECK: hint: (load memref [index ...] [size ...]) reads a part of memory as a tile
  (slice a :axis 0 :from 0 :to 2)
  ; CHECK: :[[#@LINE+2]]:23: error[tensor-operand]: `einsum` takes a tensor, not f32 [4 8]
  ; CHECK: hint: (dot a b) multiplies tiles
  (einsum "ij,kj->ik" a b))

; Element types that do not fit; each hint is the cast to write.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn types [(: f vector<4x8xf32>) (: h vector<4x8xbf16>) (: g vector<4x8xf16>) (: i vector<4x8xi32>) (: b vector<4x8xi1>)
             (: s f32) (: n i64) (: m memref<4xf32>)]
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `+` takes operands of one element type, and these are f32 [4 8] and i32 [4 8]
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is f32 [4 8]
  ; CHECK: hint: (cast f32 i) converts
  (+ f i)
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `*` takes operands of one element type, and these are i32 [4 8] and f32
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is i32 [4 8]
  ; CHECK: hint: (cast f32 i) converts
  (* i s)
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `+` takes operands of one element type, and these are bf16 [4 8] and f16 [4 8]
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is bf16 [4 8]
  ; CHECK: hint: (cast bf16 g) converts
  (+ h g)
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `<` takes operands of one element type, and these are i32 [4 8] and i64
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is i32 [4 8]
  ; CHECK: hint: (cast i32 n) converts
  (< i n)
  ; CHECK: :[[#@LINE+2]]:8: error[type-literal-range]: `0.5` is no integer, and the type is i32
  ; CHECK: hint: write an integer, or a float type such as f32
  (+ i 0.5)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `+` takes operands of one type, and these have types vector<4x8xf32> and memref<4xf32>
  ; CHECK: hint: (load memref [index ...] [size ...]) reads a tile
  (+ f m)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `sum` takes a tile of numbers, not i1 [4 8]
  ; CHECK: hint: (cast i32 b) counts what holds
  (sum b)
  ; CHECK: :[[#@LINE+2]]:9: error[type-mismatch]: `mean` takes a tile of floats, not i32 [4 8]
  ; CHECK: hint: (cast f32 i) converts
  (mean i)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `any` takes a tile of i1, not f32 [4 8]
  ; CHECK: hint: compare it: (!= f 0)
  (any f)
  ; CHECK: :[[#@LINE+2]]:11: error[type-mismatch]: `cumsum` takes a tile of numbers, not i1 [4 8]
  ; CHECK: hint: (cast i32 b) counts what holds
  (cumsum b :axis 0)
  ; CHECK: :[[#@LINE+2]]:3: error[tile-operand]: `cumprod` of a tile takes no `:reverse`
  ; CHECK: hint: compute it of a tensor, before the tile program
  (cumprod f :axis 0 :reverse true)
  ; CHECK: :[[#@LINE+2]]:8: error[tile-operand]: `sum` takes a tile or a tensor, not f32
  ; CHECK: hint: a tile is made by load, zeros, full, iota and broadcast
  (sum s)
  ; CHECK: :[[#@LINE+2]]:8: error[tile-operand]: `max` takes a tile or a tensor, not f32
  ; CHECK: hint: a tile is made by load, zeros, full, iota and broadcast
  (max s)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `exp` works on floats and vectors of them, not on i32 [4 8]
  ; CHECK: hint: (cast f32 value) converts
  (exp i)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: a condition of `not` is an i1, not f32 [4 8]
  ; CHECK: hint: compare it: (!= value 0)
  (not f)
  ; CHECK: :[[#@LINE+2]]:10: error[type-mismatch]: a condition of `where` is an i1, not f32 [4 8]
  ; CHECK: hint: compare it: (!= value 0)
  (where f f 0.0)
  ; CHECK: :[[#@LINE+2]]:10: error[type-mismatch]: a condition of `and` is an i1, not f32 [4 8]
  ; CHECK: hint: compare it: (!= value 0)
  (and b f)
  ; CHECK: :[[#@LINE+3]]:10: error[type-mismatch]: `pow` takes operands of one element type, and these are f32 [4 8] and i32 [4 8]
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is f32 [4 8]
  ; CHECK: hint: (cast f32 i) converts
  (pow f i)
  ; CHECK: :[[#@LINE+2]]:3: error[macro-arity]: `sum` takes 1 operand, got 2
  ; CHECK: hint: write (sum tile :axis n :keep true)
  (sum f f))

; Products that there are not.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn products [(: a vector<4x8xbf16>) (: b vector<8x6xbf16>) (: f vector<8x6xf16>) (: x vector<4x8xf64>) (: i vector<8x8xi32>) (: v vector<8xbf16>)
                (: batch vector<2x4x8xbf16>) (: other vector<3x8x6xbf16>) (: c vector<4x6xbf16>) (: w vector<4x5xf32>)]
  ; CHECK: :[[#@LINE+3]]:10: error[tile-product]: no instruction multiplies bf16 by f16
  ; CHECK: :[[#@LINE+2]]:8: note: the other operand is bf16 [4 8]
  ; CHECK: hint: there are bf16, f16 and f32, also one of them by f32 (sums in f32), f64, and i8 (sums in i32); (cast bf16 tile) converts
  (dot a f)
  ; CHECK: :[[#@LINE+3]]:8: error[tile-product]: no instruction multiplies tiles of i32
  ; CHECK: :[[#@LINE+2]]:10: note: the other operand is i32 [8 8]
  ; CHECK: hint: there are bf16, f16 and f32, also one of them by f32 (sums in f32), f64, and i8 (sums in i32); (cast i8 tile) converts
  (dot i i)
  ; CHECK: :[[#@LINE+2]]:10: error[tile-shape]: `dot`: the inner sizes 6 and 4 differ, of shapes [8 6] and [4 8]
  ; CHECK: :[[#@LINE+1]]:8: note: this operand is bf16 [8 6]
  (dot b a)
  ; CHECK: :[[#@LINE+2]]:10: error[tile-shape]: `dot`: the inner sizes 8 and 6 differ, of shapes [4 8] and [8 6] (transposed)
  ; CHECK: :[[#@LINE+1]]:8: note: this operand is bf16 [4 8]
  (dot a b :transpose-b true)
  ; CHECK: :[[#@LINE+2]]:10: error[tile-shape]: `dot` multiplies tiles of 2 dimensions, or 3 with a batch, and this is bf16 [8]
  ; CHECK: hint: (reshape tile [1 n]) makes a row, [n 1] a column
  (dot a v)
  ; CHECK: :[[#@LINE+2]]:14: error[tile-shape]: `dot`: one operand has a batch dimension, the other none: [2 4 8] and [8 6]
  ; CHECK: :[[#@LINE+1]]:8: note: this operand is bf16 [2 4 8]
  (dot batch b)
  ; CHECK: :[[#@LINE+2]]:14: error[tile-shape]: `dot`: the batch sizes 2 and 3 differ, of shapes [2 4 8] and [3 8 6]
  ; CHECK: :[[#@LINE+1]]:8: note: this operand is bf16 [2 4 8]
  (dot batch other)
  ; CHECK: :[[#@LINE+2]]:12: error[tile-shape]: this product is added to a tile of f32 [4 6], not to bf16 [4 6]
  ; CHECK: hint: (cast f32 c) converts
  (dot a b c)
  ; CHECK: :[[#@LINE+2]]:12: error[tile-shape]: this product is added to a tile of f32 [4 6], not to f32 [4 5]
  ; CHECK: hint: (zeros f32 [4 6]) has that type
  (dot a b w)
  ; CHECK: :[[#@LINE+1]]:25: error[macro-shape]: whether an operand of `dot` is transposed is true or false, not 1
  (dot a b :transpose-b 1)
  ; CHECK: :[[#@LINE+1]]:10: error[tile-operand]: `dot` takes a tile, not f64
  (dot a 2.0)
  ; CHECK: :[[#@LINE+2]]:12: error[macro-shape]: `dot` does not know `:transpose`; its keywords are :transpose-a, :transpose-b, :precision
  ; CHECK: hint: write (dot a b acc? :transpose-a true :transpose-b true :precision f32|tf32x3|bf16x3|tf32|bf16)
  (dot a b :transpose true)
  ; CHECK: :[[#@LINE+2]]:23: error[tile-precision]: a product has no precision `bf16x2`
  ; CHECK: hint: there are f32 (exact factors), tf32x3 and bf16x3 (as two terms each), tf32 and bf16 (rounded)
  (dot a b :precision bf16x2)
  ; CHECK: :[[#@LINE+1]]:23: error[tile-precision]: a product has no precision `3`
  (dot a b :precision 3)
  ; CHECK: :[[#@LINE+2]]:41: error[tile-precision]: a precision is for factors of f32, and these are of f64, which are exact
  ; CHECK: hint: leave out `:precision`
  (dot x x :transpose-b true :precision tf32)
  ; CHECK: :[[#@LINE+3]]:8: error[tile-product]: no instruction multiplies tiles of i1
  ; CHECK: :[[#@LINE+2]]:18: note: the other operand is i1 [8 6]
  ; CHECK: hint: there are bf16, f16 and f32, also one of them by f32 (sums in f32), f64, and i8 (sums in i32); (cast i8 tile) converts
  (dot (> a 0.0) (> b 0.0)))

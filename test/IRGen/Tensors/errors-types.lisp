; Types that the forms on tensors do not take.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn types [(: x (tensor n 3 f32)) (: i (tensor n 3 i32)) (: v vector<4xf32>) (: m memref<3xf32>) (: k i64) (: b (tensor n i1))]
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `+` takes operands of one element type, and these are f32 [n 3] and i32 [n 3]
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is f32 [n 3]
  ; CHECK: hint: (cast f32 i) converts
  (+ x i)
  ; CHECK: :[[#@LINE+2]]:8: error[type-literal-range]: `0.5` is no integer, and the type is i32
  ; CHECK: hint: write an integer, or a float type such as f32
  (* i 0.5)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `exp` works on floats and vectors of them, not on i32 [? 3]
  ; CHECK: hint: (cast f32 value) converts
  (exp i)
  ; CHECK: :[[#@LINE+1]]:8: error[type-mismatch]: `+` takes tensors and numbers, and this is vector<4xf32>
  (+ x v)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `+` takes tensors and numbers, and this is memref<3xf32>
  ; CHECK: hint: (load m) reads a memref as a tensor
  (+ x m)
  ; CHECK: :[[#@LINE+3]]:8: error[type-mismatch]: `*` takes operands of one element type, and these are i64 and f32 [n 3]
  ; CHECK: :[[#@LINE+2]]:6: note: this operand is i64
  ; CHECK: hint: (cast f32 k) converts
  (* k x)
  ; CHECK: :[[#@LINE+2]]:10: error[type-mismatch]: a condition of `where` is an i1, not f32 [? 3]
  ; CHECK: hint: compare it: (!= value 0)
  (where x x x)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: a condition of `not` is an i1, not f32 [? 3]
  ; CHECK: hint: compare it: (!= value 0)
  (not x)
  ; CHECK: :[[#@LINE+2]]:9: error[type-mismatch]: `mean` takes a tensor of floats, not i32 [? 3]
  ; CHECK: hint: (cast f32 i) converts
  (mean i)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `sum` takes a tensor of numbers, not i1 [?]
  ; CHECK: hint: (cast i32 b) counts what holds
  (sum b)
  ; CHECK: :[[#@LINE+2]]:8: error[type-mismatch]: `any` takes a tensor of i1, not f32 [? 3]
  ; CHECK: hint: compare it: (!= x 0)
  (any x)
  ; CHECK: :[[#@LINE+2]]:3: error[tensor-axis]: `cumsum` of a tensor of shape [? 3] needs an axis
  ; CHECK: hint: (cumsum x :axis -1) goes along the last one
  (cumsum x)
  ; CHECK: :[[#@LINE+2]]:11: error[type-mismatch]: `cumsum` takes a tensor of numbers, not i1 [?]
  ; CHECK: hint: (cast i32 b) counts what holds
  (cumsum b)
  ; CHECK: :[[#@LINE+2]]:18: error[macro-shape]: `max` does not know `:key`; its keywords are :axis, :axes, :keep
  ; CHECK: hint: write (max a b ...) or (max x :axis n :keep true)
  (max b :axis 0 :key 1)
  ; CHECK: :[[#@LINE+3]]:10: error[type-mismatch]: `pow` takes operands of one element type, and these are f32 [n 3] and i32 [n 3]
  ; CHECK: :[[#@LINE+2]]:8: note: this operand is f32 [n 3]
  ; CHECK: hint: (cast f32 i) converts
  (pow x i))

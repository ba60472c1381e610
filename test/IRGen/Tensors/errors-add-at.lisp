; Rows added to a table where numbers say.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn added [(: x (tensor 4 6 f32)) (: r (tensor 6 f32)) (: i (tensor 3 i32))]
  ; CHECK: :[[#@LINE+4]]:15: error[tensor-shape]: `add-at` takes a row of the table for each index, and these are f32 [6]
  ; CHECK: :[[#@LINE+3]]:11: note: the table is f32 [4 6]
  ; CHECK: :[[#@LINE+2]]:13: note: the indices are i32 [3]
  ; CHECK: hint: the shape is that of (gather table indices)
  (add-at x i r)
  ; CHECK: :[[#@LINE+1]]:15: error[tensor-shape]: `add-at` takes a row of the table for each index, and these are f32 [4 6]
  (add-at x i x)
  ; CHECK: :[[#@LINE+2]]:13: error[type-mismatch]: the indices of `add-at` are integers, not f32 [6]
  ; CHECK: hint: (cast i32 r) converts
  (add-at x r x)
  ; CHECK: :[[#@LINE+2]]:11: error[type-mismatch]: `add-at` adds floats, and this is i32 [3]
  ; CHECK: hint: (cast f32 i) converts
  (add-at i i i)
  ; CHECK: error[tensor-range]: the index 4 is outside of axis 0, which has 4 elements
  (add-at x (: [4] (tensor 1 i32)) (full f32 [1 6] 1.0))
  ; CHECK: :[[#@LINE+1]]:11: error[tensor-rank]: a tensor of one number has no rows to add to
  (add-at (full f32 [] 1.0) i i)
  ; CHECK: :[[#@LINE+1]]:23: error[macro-shape]: `:with` is +, set, max or min, not prod
  (add-at x i x :with prod)
  ; CHECK: :[[#@LINE+3]]:15: error[type-mismatch]: `add-at` puts rows into a table of their type, and these are f64 [3 6]
  ; CHECK: note: the table is f32 [4 6]
  ; CHECK: hint: (cast f32 (zeros f64 [3 6])) converts
  (add-at x i (zeros f64 [3 6]) :with set)
  ; CHECK: :[[#@LINE+2]]:11: error[type-mismatch]: `add-at` compares numbers, and this is i1 [3]
  ; CHECK: hint: (cast i32 (= i 0)) converts
  (add-at (= i 0) i (= i 0) :with max)
  ; CHECK: :[[#@LINE+1]]:11: error[tensor-rank]: a tensor of one number has no rows to change
  (add-at (full f32 [] 1.0) i i :with set))

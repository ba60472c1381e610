; What steps, orders and scans cannot be.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn steps [(: x (tensor 4 6 f32)) (: i index) (: b (tensor 3 i1))]
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-range]: the step 0 takes no other element
  (slice x :axis 1 :step 0)
  ; CHECK: :[[#@LINE+1]]:26: error[tensor-range]: the step of `slice` is a constant, and `i` is known only when the program runs
  (slice x :axis 1 :step i)
  ; CHECK: :[[#@LINE+1]]:3: error[tensor-range]: `slice`: the part from 0 of size 7 is not inside of dimension 1 of f32 [4 6]
  (slice x :axis 1 :from 6 :step -1)
  ; CHECK: :[[#@LINE+1]]:32: error[macro-shape]: `slice` takes :size, or :to and :step, not both
  (slice x :axis 1 :size 2 :to 3)
  ; CHECK: error[tensor-axis]: a tensor of 2 dimensions needs an axis, :axis n
  ; CHECK: :[[#@LINE+1]]:3: note: in this call of `tensor/flip`
  (flip x)
  ; CHECK: :[[#@LINE+2]]:26: error[macro-shape]: `:exchange` takes two axes in a vector, and no other axes, not 1
  ; CHECK: hint: write (transpose tile [axis ...]) or (transpose tile :exchange [a b])
  (transpose x :exchange 1)
  ; CHECK: :[[#@LINE+2]]:3: error[tensor-axis]: `cummax` of a tensor of shape [4 6] needs an axis
  ; CHECK: hint: (cummax x :axis -1) goes along the last one
  (cummax x)
  ; CHECK: :[[#@LINE+1]]:30: error[macro-shape]: `:reverse` is true or false, not 1
  (cumsum x :axis 0 :reverse 1)
  ; CHECK: :[[#@LINE+1]]:12: error[type-mismatch]: `cumprod` takes a tensor of numbers, not i1 [3]
  (cumprod b)
  ; CHECK: :[[#@LINE+2]]:9: error[type-mismatch]: `prod` takes a tensor of numbers, not i1 [3]
  ; CHECK: hint: (cast i32 b) counts what holds
  (prod b)
  ; CHECK: :[[#@LINE+2]]:13: error[tensor-rank]: `update` along an axis takes a part with as many dimensions as the tensor, and no offsets
  ; CHECK: hint: write (update tensor part [offset ...]) or (update tensor part :axis k :from a)
  (update x (iota f32 [4]) :axis 0 :from 1))
; Names of NumPy whose sizes follow from the data.
(defn of-data [(: x (tensor 4 f32))]
  ; CHECK: :[[#@LINE+2]]:4: error[parse-head]: unknown form `nonzero`
  ; CHECK: hint: `nonzero` of NumPy and PyTorch is (where (!= x 0) x other): a size cannot follow from the data
  (nonzero x))

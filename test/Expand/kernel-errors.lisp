; RUN: not lispier --emit=core %s 2>&1 | FileCheck %s

; CHECK: [[#@LINE+1]]:32: error[macro-shape]: a kernel returns nothing: it stores its results in memrefs
(defkernel returns [(: x f32)] -> f32 x)
; CHECK: [[#@LINE+1]]:18: error[parse-block-arg]: the parameter `x` has no type: write (: x type)
(defkernel step [x] (barrier))
; CHECK: [[#@LINE+1]]:1: error[macro-arity]: `defkernel` takes 3 or more operands, got 2
(defkernel step [])
(defkernel axes [(: m memref<?xf32>)]
  ; CHECK: [[#@LINE+1]]:14: error[macro-shape]: `thread-id`: an axis is :x, :y or :z
  (thread-id :w)
  ; CHECK: error[macro-shape]: `warp-reduce` expects what to combine by, such as :add here, not a symbol
  (warp-reduce add 1)
  ; CHECK: error[macro-shape]: `launch` expects a map with :grid and :block here, not a number
  (launch axes 4 m))

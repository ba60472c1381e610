; A tile that broadcasting makes too large.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(deftile outer [(: m memref<?xf32>)]
  ; CHECK: :[[#@LINE+2]]:16: error[type-size]: a vector has at most 1048576 elements, and this one is vector<2048x2048xf32>
  ; CHECK: hint: walk over it in chunks: (fold [acc init] [i 0 n chunk] ...)
  (def sums (+ (zeros f32 [2048 1]) (zeros f32 [1 2048])))
  (store (sum sums :axis 0) m [0]))
(deftile fits [(: m memref<?xf32>)]
  (store (sum (+ (zeros f32 [1024 1]) (zeros f32 [1 1024])) :axis 0) m [0]))

; 18. Forms of shapes, statistics and bits.     RUN: lispier run %s | FileCheck %s
;
; Each means what NumPy's function of that name does, or else PyTorch's, and is a formula of others: what uses it is in
; one kernel with it. `lispier doc NAME` says the rest.

(defn main []
  ; Parts in another order, more of them, a border.
  (def x (reshape (iota f32 [6]) [2 3]))
  (println (flip x :axis 1))                           ; CHECK: f32 [2 3]
                                                       ; CHECK-NEXT: [2 1 0]
                                                       ; CHECK-NEXT: [5 4 3]
  (println (repeat (iota i32 [2]) 3))                  ; CHECK: [0 0 0 1 1 1]
  (println (pad (iota i32 [3]) [[1 1]] 0))              ; CHECK: [0 0 1 2 0]
  (println (full-like (iota i32 [2]) 7))               ; CHECK: [7 7]
  (println (linspace 0.0 1.0 5))                       ; CHECK: [0 0.25 0.5 0.75 1]

  ; Parts of a matrix, and products of the matrices of a batch.
  (println (tril (full f32 [2 2] 1.0)))                ; CHECK: {{\[\[1 0\]}}
                                                       ; CHECK-NEXT: [1 1]
  (println (triu (full f32 [2 2] 1.0)))                ; CHECK: {{\[\[1 1\]}}
                                                       ; CHECK-NEXT: [0 1]
  (println (matmul (full f32 [2 1 3] 2.0) (full f32 [2 3 1] 1.0))) ; CHECK: {{\[\[\[6\]\]}}

  ; Statistics of rows. A variance is divided by the number of elements.
  (println (prod x :axis 1))                           ; CHECK: [0 60]
  (println (var x :axis 1))                            ; CHECK: [0.666667 0.666667]
  (println (std x :axis 1))                            ; CHECK: [0.816497 0.816497]
  (println (logsumexp x :axis 1))                      ; CHECK: [2.40761 5.40761]
  (println (cummax (: [1 3 2 5] tensor<4xf32>)))       ; CHECK: [1 3 3 5]
  (def [values places] (topk (: [1 4 2 3] tensor<4xf32>) 2))
  (println values)                                     ; CHECK: [4 3]
  (println places)                                     ; CHECK: [1 3]

  ; Element by element: halves are rounded to even.
  (println (clip (: [-1 0.5 2] tensor<3xf32>) 0.0 1.0)) ; CHECK: [0 0.5 1]
  (println (round (: [0.5 1.5 -2.5] tensor<3xf32>)))   ; CHECK: [0 2 -2]
  (println (log1p (: [0 1] tensor<2xf32>)))            ; CHECK: [0 0.693147]
  (println (expm1 (: [0 1] tensor<2xf32>)))            ; CHECK: [0 1.71828]
  (println (softplus (: [0 1] tensor<2xf32>)))         ; CHECK: [0.693147 1.31326]

  ; Bits of integers.
  (def a (: [12 10] tensor<2xi32>))
  (println (bit-and a (: [10 3] tensor<2xi32>)))       ; CHECK: [8 2]
  (println (bit-or a (: [10 3] tensor<2xi32>)))        ; CHECK: [14 11]
  (println (bit-xor a (: [10 3] tensor<2xi32>)))       ; CHECK: [6 9]
  (println (shift-left a (: [1 2] tensor<2xi32>)))     ; CHECK: [24 40]
  (println (shift-right a (: [1 2] tensor<2xi32>)))    ; CHECK: [6 2]

  ; Rows that are summed by numbers, or the greatest of each.
  (def rows (: [1 2 4 8] tensor<4xf32>))
  (def at (: [1 0 1 2] tensor<4xi32>))
  (println (segment-sum rows at 3))                    ; CHECK: [2 5 8]
  (println (segment-max rows at 3)))                   ; CHECK: [2 4 8]

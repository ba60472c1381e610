; Elements in another order: every n-th one, in reverse, shifted, repeated, sorted, counted.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(defn stepped [(: x (tensor n i32))] (slice x :step -2))
(defn main []
  (def x (iota i32 [7]))
  (println (slice x :step 2))                          ; CHECK: [0 2 4 6]
  (println (slice x :from 1 :to 6 :step 3))            ; CHECK: [1 4]
  (println (slice x :step -3))                         ; CHECK: [6 3 0]
  (println (slice x :from 5 :to 1 :step -2))           ; CHECK: [5 3]
  (println (slice x :from -2 :to 0 :step -1))          ; CHECK: [5 4 3 2 1]
  (println (slice x :from 2 :to 2 :step -1))           ; CHECK: i32 [0]
  (println (stepped (slice x [(at x 1)] [_])))         ; CHECK: [6 4 2]
  (def m (reshape (iota i32 [6]) [2 3]))
  (println (slice m :axis 1 :step 2))                  ; CHECK: i32 [2 2]
  ; CHECK-NEXT: [0 2]
  ; CHECK-NEXT: [3 5]
  (println (slice m :axis 1 :from 1 :size 1))          ; CHECK: i32 [2 1]
  ; CHECK-NEXT: [1]
  ; CHECK-NEXT: [4]
  (println (flip m :axis 1))                           ; CHECK: i32 [2 3]
  ; CHECK-NEXT: [2 1 0]
  ; CHECK-NEXT: [5 4 3]
  (println (flip x))                                   ; CHECK: [6 5 4 3 2 1 0]
  (println (roll x 2))                                 ; CHECK: [5 6 0 1 2 3 4]
  (println (roll x -9))                                ; CHECK: [2 3 4 5 6 0 1]
  (println (roll m 1 :axis 0))
  ; CHECK: [3 4 5]
  ; CHECK-NEXT: [0 1 2]
  (println (repeat m 2 :axis 0))                       ; CHECK: i32 [4 3]
  ; CHECK-NEXT: [0 1 2]
  ; CHECK-NEXT: [0 1 2]
  ; CHECK-NEXT: [3 4 5]
  (println (transpose (reshape m [1 2 3]) :exchange [0 -1])) ; CHECK: i32 [3 2 1]
  (println (update m (full i32 [2 1] 9) :axis 1 :from -1))
  ; CHECK: [0 1 9]
  ; CHECK-NEXT: [3 4 9]
  ; Equal elements keep their order, a NaN is greatest, -0.0 is 0.0.
  (def y (: [3.0 1.0 nan 1.0 5.0 -inf 2.0 inf] tensor<8xf32>))
  (println (argsort y))                                ; CHECK: [5 1 3 6 0 4 7 2]
  (println (sort y))                                   ; CHECK: [-inf 1 1 2 3 5 inf nan]
  (println (argsort y :descending true))               ; CHECK: [2 7 4 0 6 1 3 5]
  (println (argsort (stack (full f32 [2] 0.0) (full f32 [2] -0.0)) :axis 0)) ; CHECK: i32 [2 2]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [1 1]
  (println (sort (reshape (% (* 7 (iota i64 [12])) 12) [3 4]) :axis 0)) ; CHECK: i64 [3 4]
  ; CHECK-NEXT: [0 3 2 1]
  ; CHECK-NEXT: [4 7 6 5]
  ; CHECK-NEXT: [8 11 10 9]
  (println (sort (cast bf16 (slice y :to 1))))         ; CHECK: bf16 [1]
  (println (argsort (cast f64 y)))                     ; CHECK: [5 1 3 6 0 4 7 2]
  (println (first-places y 3))                         ; CHECK: [5 1 3]
  (println (first-places (stack y y) 1 :descending true)) ; CHECK: i32 [2 1]
  ; CHECK-NEXT: [2]
  ; CHECK-NEXT: [2]
  ; Of types that kernels do not have: false is less than true.
  (println (argsort (= y 1.0)))                        ; CHECK: [0 2 4 5 6 7 1 3]
  (println (argsort (iota index [3]) :descending true)) ; CHECK: [2 1 0]
  (println (argsort (zeros f32 [2 0]) :axis -1))       ; CHECK: i32 [2 0]
  ; 1000 numbers, of which each is once among the result.
  (def many (% (* 617 (iota i32 [1000])) 1000))
  (println (any (!= (sort many) (iota i32 [1000]))))   ; CHECK: false
  (println (bincount (: [0 2 2 5] tensor<4xi32>) 6))   ; CHECK: i64 [6]
  ; CHECK-NEXT: [1 0 2 0 0 1]
  (println (segment-sum (reshape (iota f32 [8]) [4 2]) (: [0 2 2 1] tensor<4xi32>) 3)) ; CHECK: f32 [3 2]
  ; CHECK-NEXT: [0 1]
  ; CHECK-NEXT: [6 7]
  ; CHECK-NEXT: [6 8]
  ; Of no rows the least and the greatest number.
  (println (segment-max (iota f32 [4]) (: [0 2 2 0] tensor<4xi32>) 3)) ; CHECK: f32 [3]
  ; CHECK-NEXT: [3 -inf 2]
  (println (segment-min (reshape (iota i8 [8]) [4 2]) (: [0 2 2 0] tensor<4xi32>) 3))) ; CHECK: i8 [3 2]
  ; CHECK-NEXT: [0 1]
  ; CHECK-NEXT: [127 127]
  ; CHECK-NEXT: [2 3]

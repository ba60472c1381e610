; Cumulative sums, products and extremes, from either end, with the element itself or without it; a scan by any function.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(defn decayed [sum x] (+ (* 0.5 sum) x))
(defn main []
  (def x (cast f32 (: [3 1 4 1 5 9 2 6] tensor<8xi32>)))
  (println (cumprod x))                                ; CHECK: [3 3 12 12 60 540 1080 6480]
  (println (cummax x))                                 ; CHECK: [3 3 4 4 5 9 9 9]
  (println (cummin x :reverse true))                   ; CHECK: [1 1 1 1 2 2 2 6]
  (println (cumsum x :reverse true))                   ; CHECK: [31 28 27 23 22 17 8 6]
  (println (cumsum x :exclusive true))                 ; CHECK: [0 3 4 8 9 14 23 25]
  (println (cumprod x :reverse true :exclusive true))  ; CHECK: [2160 2160 540 540 108 12 6 1]
  (println (cummax x :exclusive true))                 ; CHECK: [-inf 3 3 4 4 5 9 9]
  (println (cummin (iota i8 [2]) :exclusive true))     ; CHECK: [127 0]
  ; Integers are multiplied in i64, and 16-bit floats in f32.
  (println (cumprod (full i8 [5] 100)))                ; CHECK: i64 [5]
  ; CHECK-NEXT: [100 10000 1000000 100000000 10000000000]
  (println (cumsum (full bf16 [4 2] 0.0078125) :axis 0 :exclusive true)) ; CHECK: bf16 [4 2]
  ; CHECK-NEXT: [0 0]
  (println (cummax (concat (slice x :to 3) (full f32 [1] nan) x) :axis 0 :reverse true)) ; CHECK: [nan nan nan ... 9 6 6]
  (println (cumprod (reshape x [2 4]) :axis 0))        ; CHECK: f32 [2 4]
  ; CHECK-NEXT: [3 1 4 1]
  ; CHECK-NEXT: [15 9 8 6]
  (println (cumsum (zeros f32 [0] ) :reverse true))    ; CHECK: f32 [0]
  ; Any function of what is combined so far and the next elements.
  (println (scan + x))                                 ; CHECK: [3 4 8 9 14 23 25 31]
  (println (scan decayed x :init 8))                   ; CHECK: [7 4.5 6.25 4.125 7.0625 12.5312 8.26562 10.1328]
  (println (scan max (reshape x [2 4]) :axis 0 :init 4 :reverse true)) ; CHECK: f32 [2 4]
  ; CHECK-NEXT: [5 9 4 6]
  ; CHECK-NEXT: [5 9 4 6]
  (println (scan * x :init 1 :axis -1 :exclusive true))) ; CHECK: [1 3 3 12 12 60 540 1080]

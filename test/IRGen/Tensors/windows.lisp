; Windows, convolutions and pooling. The numbers are those of loops over the definition, as PyTorch's conv2d,
; conv_transpose2d, max_pool2d and avg_pool1d have it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(defn numbers [(: n index) (: by i64) (: of i64)] (cast f32 (- (% (* by (iota i64 [n])) of) (/ of 2))))
; Sizes that only the run knows.
(defn smoothed [(: x (tensor n f32))] (mean (windows x [3] :pad 1) :axis -1))
(defn main []
  (println (windows (iota i32 [5]) [2] :stride 3 :pad [[1 2]] :value 9)) ; CHECK: i32 [3 2]
  ; CHECK-NEXT: [9 0]
  ; CHECK-NEXT: [2 3]
  ; CHECK-NEXT: [9 9]
  (println (windows (iota f32 [6]) [3] :dilation 2))   ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0 2 4]
  ; CHECK-NEXT: [1 3 5]
  (println (windows (+ 1 (iota i32 [2])) [2] :spread 3)) ; CHECK: i32 [3 2]
  ; CHECK-NEXT: [1 0]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [0 2]
  (println (windows (+ 1 (iota i32 [2])) [2] :crop 0)) ; CHECK: i32 [3 2]
  ; CHECK-NEXT: [0 1]
  ; CHECK-NEXT: [1 2]
  ; CHECK-NEXT: [2 0]
  ; Along the first axis: the window's dimension is the last one.
  (println (windows (reshape (iota i32 [6]) [3 2]) [2] :axes [0])) ; CHECK: i32 [2 2 2]
  ; CHECK-NEXT: [0 2]
  ; CHECK-NEXT: [1 3]
  (def x (numbers 40 7 11))
  (def w (numbers 24 5 7))
  (println (conv2d (reshape x [1 2 5 4]) (reshape w [2 2 3 2]) :stride [2 1] :padding [1 0] :dilation [1 2])) ; CHECK: f32 [1 2 3 2]
  ; CHECK-NEXT: [24 -40]
  ; CHECK-NEXT: [33 22]
  ; CHECK-NEXT: [9 29]
  ; CHECK-NEXT: [11 9]
  ; CHECK-NEXT: [-2 -31]
  ; CHECK-NEXT: [9 -53]
  (println (conv1d (reshape (iota f32 [16]) [1 4 4]) (full f32 [2 2 2] 1.0) :groups 2 :padding 1)) ; CHECK: f32 [1 2 5]
  ; CHECK-NEXT: [4 10 14 18 10]
  ; CHECK-NEXT: [20 42 46 50 26]
  (println (conv3d (reshape (iota f32 [8]) [1 1 2 2 2]) (reshape (iota f32 [8]) [1 1 2 2 2]))) ; CHECK: f32 [1 1 1 1 1]
  ; CHECK-NEXT: 140
  (println (conv-transpose2d (reshape (iota f32 [4]) [1 1 2 2]) (reshape (iota f32 [9]) [1 1 3 3])
                             :stride 2 :padding 1 :output-padding 1)) ; CHECK: f32 [1 1 4 4]
  ; CHECK-NEXT: [0 3 4 5]
  ; CHECK-NEXT: [2 10 10 14]
  ; CHECK-NEXT: [8 19 12 15]
  ; CHECK-NEXT: [14 34 21 24]
  ; A transposed convolution is the other one's gradient: a quarter of both dot products, which are equal.
  (def y (reshape (numbers 32 3 13) [1 2 4 4]))
  (def v (reshape (numbers 36 5 9) [2 2 3 3]))
  (def z (reshape (numbers 162 4 7) [1 2 9 9]))
  (println (- (sum (* y (conv2d z v :stride 2))) (sum (* z (conv-transpose2d y v :stride 2))))) ; CHECK: f32 [] 0
  (println (conv-transpose1d (reshape (iota f32 [3]) [1 1 3]) (full f32 [1 1 1] 2.0) :padding 1)) ; CHECK: f32 [1 1 1]
  ; CHECK-NEXT: 2
  (println (max-pool2d (reshape x [1 5 8]) :size [2 3] :stride [3 2] :padding [1 0])) ; CHECK: f32 [1 2 3]
  ; CHECK-NEXT: [2 5 4]
  ; CHECK-NEXT: [5 4 4]
  (println (max-pool1d (iota bf16 [7]) :size 3 :stride 1 :dilation 2)) ; CHECK: bf16 [3]
  ; CHECK-NEXT: [4 5 6]
  (println (max-pool3d (reshape (iota f32 [8]) [2 2 2]))) ; CHECK: f32 [1 1 1]
  ; CHECK-NEXT: 7
  (println (avg-pool1d (iota f32 [5]) :padding 1))     ; CHECK: [0 1.5 3.5]
  (println (avg-pool2d (reshape (iota f32 [16]) [4 4]) :size 2 :stride 1)) ; CHECK: f32 [3 3]
  ; CHECK-NEXT: [2.5 3.5 4.5]
  (println (avg-pool3d (reshape (iota f32 [8]) [2 2 2]))) ; CHECK: f32 [1 1 1]
  ; CHECK-NEXT: 3.5
  (println (smoothed (slice (iota f32 [9]) [0] [(+ 4 (argmax (iota f32 [2])))])))) ; CHECK: [0.333333 1 2 3 2.33333]

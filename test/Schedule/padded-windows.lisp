; Windows of a tensor with a border are read from the tensor itself: the border is no memory, and nothing is filled or
; copied. The border of a tile's dimension is what a read has outside of memory.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TENSOR
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s --check-prefix=VALUE

; TENSOR-LABEL: func.func @greatest(
; TENSOR-NOT: memref.copy
; TENSOR: group.kernel "greatest_0" kind(other)
; TENSOR: tensor.pad
; TENSOR: return
; CHECK-LABEL: gpu.func @greatest_0(
; CHECK-SAME: memref<6x300xf32
; CHECK: arith.subi %{{.*}}, %c4
; CHECK: vector.transfer_read {{.*}} {in_bounds = [true, false]} : memref<6x300xf32
; CHECK: arith.maximumf
(defn greatest [(: x (tensor 2 3 300 f32))] (max-pool1d x :size 8 :stride 1 :padding 4 :dilation 3))

; A stride that divides the size leaves a dimension of remainders to the view; one that does not needs a test beside it.
; CHECK-LABEL: gpu.func @means_0(
; CHECK: vector.transfer_read %{{.*}} : memref<{{.*}}, vector<{{.*}}xf32>
(defn means [(: x (tensor 2 3 8 12 10 f32))] (avg-pool3d x :size 3 :stride 2 :padding 1))
; CHECK-LABEL: gpu.func @odd_0(
; CHECK: arith.cmpi ult, %{{.*}} : vector<{{.*}}xi32>
; CHECK: vector.transfer_read
(defn odd [(: x (tensor 2 3 9 13 f32))] (max-pool2d x :size 3 :stride 2 :padding 1 :dilation 2))

; What pads for two readers is a border for each; what is needed itself is memory.
; TENSOR-LABEL: func.func @both(
; TENSOR-NOT: memref.copy
; TENSOR: return
(defn both [(: x (tensor 4 50 f32))]
  (let [w (windows x [3] :axes [1] :stride 1 :pad 1 :value 0.0)] [(max w :axis 2) (sum w :axis 2)]))
(defn stored [(: x (tensor 4 50 f32))]
  (let [p (pad x [[0 0] [1 1]] 0.0)] [p (max (windows p [3] :axes [1] :stride 1) :axis 2)]))

; What follows the border's dimension in memory is a dimension of its own.
(defn rows [(: x (tensor 8 6 f32))] (max (windows x [2] :axes [0] :pad [[1 2]]) :axes [-1]))

; Windows of the border's dimension are no dimension with what precedes them, of which each has as many elements.
(defn whole [(: x (tensor 3 2 f32))]
  (max (windows x [3 2] :axes [0 1] :stride [1 2] :pad [[0 0] [0 2]] :value 1.5) :axes [-2 -1]))

(defn numbers [n & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 7)) 3.0))

(defn main []
  (def a (greatest (- (reshape (numbers 1800 :by 5) [2 3 300]) 5.0)))
  (println "%d %g %g %g" (dim a 2) (at a 0 0 0) (at a 1 2 286) (sum a)) ; VALUE: 287 -2 -2 -3446
  (def b (means (reshape (numbers 5760 :by 5) [2 3 8 12 10])))
  (println "%d %d %d" (dim b 2) (dim b 3) (dim b 4)) ; VALUE-NEXT: 4 6 5
  ; VALUE-NEXT: 0.222222 0.111111 10.8162
  (println "%.6g %.6g %.6g" (at b 0 0 0 0 0) (at b 1 2 3 5 4) (sum (* b b)))
  (def c (odd (- (reshape (numbers 702) [2 3 9 13]) 4.0)))
  ; VALUE-NEXT: 4 6 -1 -3 -265
  (println "%d %d %g %g %g" (dim c 2) (dim c 3) (at c 0 0 0 0) (at c 1 2 3 5) (sum c))
  (def [most sums] (both (- (reshape (numbers 200) [4 50]) 9.0)))
  ; VALUE-NEXT: 0 -6 -1318 -5329
  (println "%g %g %g %g" (at most 0 0) (at most 3 20) (sum most) (sum sums))
  (def [p most-of] (stored (- (reshape (numbers 200) [4 50]) 9.0)))
  (println "%d %g %g" (dim p 1) (sum p) (sum most-of)) ; VALUE-NEXT: 52 -1801 -1318
  (def r (rows (- (reshape (numbers 48) [8 6]) 1.0)))
  ; VALUE-NEXT: 10 0 0 147
  (println "%d %g %g %g" (dim r 0) (at r 0 1) (at r 5 3) (sum (* r (cast f32 (iota i32 [10 6] :axis 0)))))
  (def w (whole (reshape (numbers 6) [3 2])))
  (println "%g %g" (at w 0 0) (at w 0 1))) ; VALUE-NEXT: 3 1.5

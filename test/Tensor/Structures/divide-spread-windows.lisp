; Zeros between the elements of a tensor are not multiplied: a transposed convolution with a stride is a product of
; windows of the tensor itself, with a dimension for the remainders of places. The numbers are those of --fuse=false.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=IR
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; Places 3 m + r of the second axis sum at most three elements each, not five. Along the first one
; each second place is 0.
; IR-LABEL: func.func @both(
; IR: linalg.contract {{.*}} : tensor<2x3x4x4x3x3xf32>, tensor<3x4x3x3x3xf32>) {{.*}} -> tensor<2x4x4x4x3xf32>
(defn both [(: x (tensor 2 3 4 4 f32)) (: w (tensor 3 4 3 5 f32))]
  (conv-transpose2d x w :stride [2 3] :padding [1 2] :dilation [2 1]))

; Weights are apart by what has no divisor in common with the stride.
; IR-LABEL: func.func @apart(
; IR: linalg.contract {{.*}} : tensor<2x3x4x2xf32>, tensor<3x4x2x5xf32>) {{.*}} -> tensor<2x4x4x5xf32>
(defn apart [(: x (tensor 2 3 4 f32)) (: w (tensor 3 4 3 f32))] (conv-transpose1d x w :stride 5 :padding 1 :dilation 2))

; More is taken away than the weights have, and elements added behind.
; IR-LABEL: func.func @cropped(
; IR: linalg.contract {{.*}} -> tensor<2x2x2x8x2xf32>
(defn cropped [(: x (tensor 2 4 9 f32)) (: w (tensor 4 2 3 f32))]
  (conv-transpose1d x w :stride 2 :padding 3 :output-padding 1 :groups 2))

; Windows of a spread tensor that are more apart than its elements would have more weights.
; IR-LABEL: func.func @stays(
; IR: linalg.contract {{.*}} : tensor<2x3x21x3xf32>
(defn stays [(: x (tensor 2 3 4 f32)) (: w (tensor 3 4 3 f32))] (conv-transpose1d x w :stride 2 :dilation 7))

(defn numbers [n & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 7)) 3.0))
(defn weighted [x]
  (def places (reshape (iota i32 [(* (dim x 0) (dim x 1) (dim x 2))]) [(dim x 0) (dim x 1) (dim x 2)]))
  (sum (* x (cast f32 (% places 11)))))
(defn square [x w] (sum (let [y (cropped x w)] (* y y))))

(defn main []
  (def y (both (reshape (numbers 96 :by 5) [2 3 4 4]) (reshape (numbers 180) [3 4 3 5])))
  (println "%d %d %g" (dim y 2) (dim y 3) (weighted (reshape y [2 4 _]))) ; CHECK: 9 10 801
  (def z (apart (reshape (numbers 24 :by 5) [2 3 4]) (reshape (numbers 36) [3 4 3])))
  (println "%d %g" (dim z 2) (weighted z)) ; CHECK-NEXT: 18 314
  (def x (reshape (numbers 72 :by 5) [2 4 9]))
  (def w (reshape (numbers 24) [4 2 3]))
  (println "%d %g" (dim (cropped x w) 2) (weighted (cropped x w))) ; CHECK-NEXT: 14 19
  (def [value dx dw] (value-and-grad square x w :wrt [0 1]))
  (println "%g %g %g" value (weighted dx) (weighted dw)) ; CHECK-NEXT: 7056 1638 -3444
  (println "%g" (weighted (stays (reshape (numbers 24 :by 5) [2 3 4]) (reshape (numbers 36) [3 4 3]))))) ; CHECK-NEXT: 72

; 16. Windows, scans, order, rows.     RUN: lispier run %s | FileCheck %s
;
; What reads several neighbours of each element. lib/Prelude/tensor/README.md has the table of all forms; `lispier doc
; NAME` explains one.

; The parts of three elements that a row has, one at each place: the window is the last dimension. What sums it reads x
; itself, and no window is stored.
(defn smoothed [x] (mean (windows x [3] :pad 1) :axis -1))

; A stencil is a window, and so is a convolution: a product over windows, whose gradient is one, too.
(defn corners [(: x (tensor h w f32)) (: filters (tensor o 2 2 f32))]
  (einsum "hwij,oij->ohw" (windows x [2 2]) filters))

; A small network of images [b c h w], as `conv2d` and the others of lib/Prelude/tensor/convolutions.lisp write it.
(defn features [image weights] (max-pool2d (relu (conv2d image weights :padding 1 :stride 2))))
(defn loss [image weights] (sum (features image weights)))

(defn decayed [sofar x] (+ (* 0.5 sofar) x))

(defn main []
  (println (smoothed (iota f32 [5])))                  ; CHECK: [0.333333 1 2 3 2.33333]
  (def x (reshape (iota f32 [9]) [3 3]))
  (println (corners x (reshape (eye 4) [4 2 2])))      ; CHECK: f32 [4 2 2]
                                                       ; CHECK-NEXT: [0 1]
                                                       ; CHECK-NEXT: [3 4]
                                                       ; CHECK-NEXT: [1 2]
                                                       ; CHECK-NEXT: [4 5]
  (def image (reshape (sin (iota f32 [64])) [1 1 8 8]))
  (def weights (reshape (cos (iota f32 [18])) [2 1 3 3]))
  (println (dim (features image weights) 3))           ; CHECK: {{^2$}}
  (println (< (check-gradients loss image weights) 1e-2)) ; CHECK: {{^1$}}

  ; Scans: each element and all before it. `scan` takes any function of two.
  (println (cumsum x :axis 1))                         ; CHECK: f32 [3 3]
                                                       ; CHECK-NEXT: [0 1 3]
  (println (cumprod (full f32 [4] 2.0) :exclusive true)) ; CHECK: [1 2 4 8]
  (println (scan decayed (full f32 [4] 1.0)))          ; CHECK: [1 1.5 1.75 1.875]

  ; Order. Equal elements keep theirs.
  (println (slice (iota i32 [7]) :step -3))            ; CHECK: [6 3 0]
  (println (roll (iota i32 [5]) 2))                    ; CHECK: [3 4 0 1 2]
  (def y (: [3 1 2 1] tensor<4xi32>))
  (println (sort y))                                   ; CHECK: [1 1 2 3]
  (println (argsort y :descending true))               ; CHECK: [0 2 1 3]
  (println (bincount y 4))                             ; CHECK: [0 2 1 1]

  ; Rows where numbers say: added in order, or the last, the greatest or the least of equal numbers.
  (def z (: [1 2 4 8] tensor<4xf32>))
  (println (add-at (zeros f32 [4]) y z))               ; CHECK: [0 10 4 1]
  (println (add-at (zeros f32 [4]) y z :with set))     ; CHECK: [0 8 4 1]
  (println (segment-min z y 4)))                       ; CHECK: [inf 2 4 1]

; Exponentials of numbers that have been rounded to 16 bits, also of a difference of them and a row's maximum, are powers
; of two, by the GPU's instruction: rounding has changed them by more than that does. Those of F32 are as exact as F32.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; CHECK-LABEL: gpu.func @narrow_0(
; CHECK-NOT: math.exp %
; CHECK-COUNT-2: math.exp2
; CHECK-NOT: math.exp %
; CHECK: gpu.return
(defn narrow [(: x (tensor 4 20000 bf16))] (softmax (cast f32 x)))

; CHECK-LABEL: gpu.func @wide_0(
; CHECK-NOT: math.exp2
; CHECK-COUNT-2: math.exp %
; CHECK-NOT: math.exp2
; CHECK: gpu.return
(defn wide [(: x (tensor 4 20000 f32))] (softmax x))

; What a mask leaves of rows that no block keeps, whose sum is made beside the maximum, and a row that it leaves nothing of, which is NaN as in F32.
; CHECK-LABEL: gpu.func @masked_0(
; CHECK-COUNT-3: math.exp2
(defn masked [(: x (tensor 4 120000 bf16))]
  (softmax (where (< (iota i32 [4 1] :axis 0) 3) (cast f32 x) -inf)))

(defn main []
  (def x (cast bf16 (* 8.0 (sin (reshape (iota f32 [80000]) [4 20000])))))
  (def exact (softmax (cast f64 x)))
  ; VALUE: {{^}}1 1{{$}}
  (println "%d %d" (cast i32 (< (at (max (reshape (abs (- (/ (cast f64 (narrow x)) exact) 1.0)) [80000]))) 1e-5))
           (cast i32 (< (at (max (reshape (abs (- (/ (cast f64 (wide (cast f32 x))) exact) 1.0)) [80000]))) 2e-6)))
  ; VALUE: 1.94783e-08 {{-?}}nan
  (def m (masked (concat x x x x x x :axis 1)))
  (println "%g %g" (cast f64 (at m 0 0)) (cast f64 (at m 3 5))))

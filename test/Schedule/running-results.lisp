; A running result, such as cumsum, is one kernel: a program walks a row, or columns, in tiles that are scanned in
; registers. What it is of is computed there, too.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; TILES-LABEL: func.func @masked(
; TILES-NOT: scf.for
; TILES: gpu.launch_func @groups::@[[MASKED:masked_[0-9]+]]
; TILES-NOT: gpu.launch_func
; TILES: return
(defn masked [(: x (tensor 3 3000 f32))] (cumsum (where (> x -2) x 1) :axis 1))

; TILES-LABEL: func.func @columns(
; TILES: gpu.launch_func @groups::@[[COLUMNS:columns_[0-9]+]]
(defn columns [(: x (tensor 3 30 100 f32))] (cummax x :axis 1))

(defn exclusive [(: x (tensor 3 3000 f32))] (cumprod x :axis 1 :exclusive true))
(defn backwards [(: x (tensor 3 3000 i32))] (+ 1 (cumsum x :axis 1 :reverse true)))
(defn one-row [(: x (tensor 700 f32))] (cummin x))

; TILES: gpu.func @[[MASKED]](
; TILES: vector.scan <add>, {{.*}} {inclusive = true, {{.*}} : vector<2048xf32>
; TILES: gpu.func @[[COLUMNS]](
; TILES: vector.scan <maximumf>, {{.*}} {inclusive = true, reduction_dim = 0

(defn main []
  (def x (reshape (- (cast f32 (% (* 5 (iota i32 [9000])) 7)) 3.0) [3 3000]))
  (def a (masked x))
  (println "%g %g %g" (at a 1 1535) (at a 1 1536) (sum (* a a))) ; CHECK: 1536 1537 2.70328e+10
  (def c (columns (reshape x [3 30 100])))
  (println "%g %g" (at c 2 1 99) (sum c)) ; CHECK-NEXT: 3 25166
  (def e (exclusive (where (> x 2) -1.0 1.0)))
  (println "%g %g %g" (at e 1 0) (at e 2 2999) (sum (* e (iota f32 [3 3000] :axis 1)))) ; CHECK-NEXT: 1 1 19480
  (def b (backwards (cast i32 x)))
  (println "%ld %ld %ld" (at b 1 0) (at b 2 2999) (sum (* b b))) ; CHECK-NEXT: 1 4 36017
  (def o (one-row (- (slice (reshape x [9000]) :from 0 :size 700) (* 0.25 (iota f32 [700])))))
  (println "%g %g" (at o 699) (sum o))) ; CHECK-NEXT: -176.25 -62737.5

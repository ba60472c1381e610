; Scans of functions that are not one associative op are one kernel on a GPU, with a thread for each row; with what is
; before them and after them. On a CPU they are loops.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | FileCheck %s --check-prefix=ONE
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=tensor %s | FileCheck %s --check-prefix=CPU
; ONE-LABEL: func.func @smoothed
; ONE: group.kernel "smoothed_0" kind(scan)
; ONE: group.scan %{{.*}} along 1
; ONE-NEXT: ^bb0(%[[SOFAR:.*]]: f32, %[[NEXT:.*]]: f32):
; ONE: arith.mulf %[[SOFAR]],
; ONE: group.next
; ONE-NOT: group.kernel
; ONE: return
; TILES-LABEL: gpu.func @smoothed_0
; TILES: scf.for
; TILES: arith.mulf %{{.*}} : vector<32xf32>
; CPU-LABEL: func.func @smoothed
; CPU: scf.for
(defn halve [sofar x] (+ (* 0.5 sofar) x))
(defn smoothed [(: x (tensor 500 7 f32))] (* 2.0 (scan halve (- x 1.0) :axis 1)))
(defn last-above [sofar x] (where (> x 0) x sofar))
(defn minus [sofar x] (- x sofar))
(defn of-rows [(: x (tensor m n i32))]
  [(scan last-above x :axis 1 :init -7 :exclusive true) (scan minus x :axis 0 :reverse true)])
(defn add-logs [a b] (log (+ (exp a) (exp b))))
(defn log-sums [(: x (tensor n f32))] (scan add-logs x :init -inf))

(defn main []
  (def x (reshape (cast f32 (% (iota i32 [3500]) 5)) [500 7]))
  (def s (smoothed x))
  ; CHECK: f32 [7]
  ; CHECK-NEXT: [-2 -1 1.5 4.75 8.375 2.1875 1.09375]
  (println (at s 0))
  ; CHECK-NEXT: f32 [7]
  ; CHECK-NEXT: [4 8 2 1 2.5 5.25 8.625]
  (println (at s 499))
  (def k (- (% (* 3 (reshape (iota i32 [20]) [4 5])) 7) 3))
  (def [a b] (of-rows k))
  ; CHECK-NEXT: i32 [4 5]
  ; CHECK-NEXT: {{\[\[-7 -7 -7 3 3\]}}
  ; CHECK-NEXT: [-7 -7 1 1 1]
  ; CHECK-NEXT: [-7 -7 2 2 1]
  ; CHECK-NEXT: [-7 -7 3 3 2]]
  (println a)
  ; CHECK-NEXT: i32 [4 5]
  ; CHECK-NEXT: {{\[\[-2 -2 5 -2 -2\]}}
  ; CHECK-NEXT: [-1 2 -2 1 4]
  ; CHECK-NEXT: [-1 -1 -1 -1 -1]
  ; CHECK-NEXT: [0 3 -1 2 -2]]
  (println b)
  ; CHECK-NEXT: f32 [4]
  ; CHECK-NEXT: [0 0.693147 1.09861 1.38629]
  (println (log-sums (zeros f32 [4]))))

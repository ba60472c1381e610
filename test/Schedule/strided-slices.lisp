; Slices with steps of tensors whose sizes only a call knows are read in place, through views whose sizes and strides the
; host computes: in a scan, a sum and elementwise; also where places are computed of other numbers than loops.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s --check-prefix=VALUE
; EXPLAIN-NOT: no tile program
; EXPLAIN: kernel scanned_0: a tile program
; EXPLAIN-NOT: no tile program

; CHECK-LABEL: func.func @scanned(
; CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %arg0
; CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [%[[STRIDES]]#0, 2]
(defn scanned [(: x (tensor m n f32))] (cumsum (slice x :axis 1 :step 2) :axis 1))
(defn from-one [(: x (tensor m n f32))] (cumsum (slice x :axis 1 :from 1 :step 3) :axis 1))
(defn columns [(: x (tensor m n f32))] (cumsum (slice x :axis 0 :step 2) :axis 0))
(defn summed [(: x (tensor m n f32))] (sum (slice x :axis 1 :step 2) :axis 1))
(defn doubled [(: x (tensor n f32))] (* 2.0 (slice x :step 3)))

(defn zero [x] (println "%g" (at (max (reshape (abs x) [_])))))
(defn main []
  ; VALUE-COUNT-6: {{^0$}}
  (def x (iota f32 [3 5001] :axis 1))
  (def j (iota f32 [1 2501] :axis 1))
  (zero (- (scanned x) (* j (+ j 1.0))))
  (def k (iota f32 [1 1667] :axis 1))
  (zero (- (from-one x) (+ 1.0 k (* 1.5 k (+ k 1.0)))))
  (def i (iota f32 [101 1] :axis 0))
  (zero (- (columns (iota f32 [201 7] :axis 0)) (* i (+ i 1.0))))
  (zero (- (summed x) 6252500.0))
  (zero (- (doubled (iota f32 [1000])) (* 6.0 (iota f32 [334]))))
  ; Of what the kernel itself makes, at places that it computes.
  (zero (- (cumsum (slice (iota f32 [2 777] :axis 1) :axis 1 :step 2) :axis 1)
           (let [l (iota f32 [1 389] :axis 1)] (* l (+ l 1.0))))))

; Two reductions of rows that are longer than registers, of which the second needs the first, are made in one pass: a
; variance beside the mean, and the place of an extreme beside the extreme.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE

; The row is read in one loop for both statistics, in chunks that leave nothing over, and once more to be divided.
; CHECK-LABEL: gpu.func @rows_0(
; CHECK: %[[FIRST:.*]] = vector.transfer_read
; CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8192xf32>, vector<8192xf32>, vector<8192xf32>)
; CHECK: %[[FROM:.*]] = arith.subf %{{.*}}, %[[FIRST]] : vector<8192xf32>
; CHECK-NOT: select
; CHECK: math.fma %[[FROM]], %[[FROM]]
; CHECK: vector.multi_reduction <add>
; CHECK-NOT: scf.for
; CHECK: vector.multi_reduction <add>
; CHECK: scf.for
; CHECK: vector.transfer_write
; CHECK-NOT: scf.for
; CHECK: gpu.return
(defn rows [(: x (tensor 3 65536 f32))]
  (let [d (- x (mean x :axis 1 :keep true))] (* d (rsqrt (+ (mean (* d d) :axis 1 :keep true) 1e-5)))))

; A group norm: the rows' own dimension is two, between which the factors of channels make a difference, and what
; follows its reshape is in the same kernel.
; CHECK-LABEL: gpu.func @groups_0(
; CHECK-NOT: gpu.func @groups_1
; CHECK: scf.for {{.*}} -> (vector<6144xf32>, vector<6144xf32>)
; CHECK: scf.for {{.*}} -> (vector<6144xf32>, vector<6144xf32>, vector<6144xf32>)
; CHECK: vector.multi_reduction <add>
; CHECK: vector.multi_reduction <add>
; CHECK: gpu.return
(defn groups [(: x (tensor 2 6 18432 f32)) (: g (tensor 6 f32)) (: o (tensor 6 f32))]
  (let [y (reshape x [2 3 2 18432])
        d (- y (mean y :axes [2 3] :keep true))
        r (rsqrt (+ (mean (* d d) :axes [2 3] :keep true) 1e-5))]
    (+ (* (reshape (* d r) [2 6 18432]) (reshape g [_ 1])) (reshape o [_ 1]))))

; Columns, of a size that only the call knows.
; CHECK-LABEL: gpu.func @columns_0(
; CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<[[T:[0-9]+x[0-9]+]]xf32>, vector<[[T]]xf32>, vector<[[T]]xf32>)
; CHECK-NOT: scf.for
; CHECK: vector.multi_reduction <add>
; CHECK: vector.multi_reduction <add>
; CHECK: gpu.return
(defn columns [(: x (tensor n 40 f32))]
  (let [d (- x (mean x :axis 0 :keep true))] (mean (* d d) :axis 0)))

; The place of the greatest, and of the least, with the extreme itself.
; CHECK-LABEL: gpu.func @places_0(
; CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<{{.*}}xf32>, vector<{{.*}}xi32>, vector<{{.*}}xf32>)
; CHECK-NOT: scf.for
; CHECK: vector.multi_reduction <maximumf>
; CHECK: vector.multi_reduction <minsi>
; CHECK: gpu.return
(defn places [(: x (tensor b n 40 f32))] [(max x :axis 1) (argmax x :axis 1)])
(defn least [(: x (tensor b n 40 f32))] (argmin x :axis 1))

(defn compare [a b]
  (println "%d" (cast i32 (< (at (max (reshape (abs (- (cast f64 a) b)) [_]))) 1e-3))))

(defn main []
  ; A mean that is large beside the deviation, rows of one number, and one element far from the others, the first.
  ; VALUE: {{^1$}}
  (def x (+ 300.0 (sin (* 0.37 (reshape (iota f32 [196608]) [3 65536])))))
  (def y (cast f64 x))
  (let [d (- y (mean y :axis 1 :keep true))]
    (compare (rows x) (* d (rsqrt (+ (mean (* d d) :axis 1 :keep true) 1e-5)))))
  ; VALUE-NEXT: {{^0$}}
  (println "%g" (at (max (reshape (abs (rows (full f32 [3 65536] 7.0))) [_]))))
  ; VALUE-NEXT: {{^1$}}
  (def far (where (= (iota i32 [3 65536] :axis 1) 0) 1000.0 (- x 300.0)))
  (let [w (cast f64 far) d (- w (mean w :axis 1 :keep true))]
    (compare (rows far) (* d (rsqrt (+ (mean (* d d) :axis 1 :keep true) 1e-5)))))
  ; VALUE-NEXT: {{^1$}}
  (def z (cos (* 0.11 (reshape (iota f32 [221184]) [2 6 18432]))))
  (def g (+ 1.0 (iota f32 [6])))
  (let [v (reshape (cast f64 z) [2 3 2 18432]) d (- v (mean v :axes [2 3] :keep true))
        r (rsqrt (+ (mean (* d d) :axes [2 3] :keep true) 1e-5))]
    (compare (groups z g g)
             (+ (* (reshape (* d r) [2 6 18432]) (cast f64 (reshape g [_ 1]))) (cast f64 (reshape g [_ 1])))))
  ; VALUE-NEXT: {{^1$}}
  (def c (cos (* 0.11 (reshape (iota f32 [52000]) [1300 40]))))
  (let [v (cast f64 c) d (- v (mean v :axis 0 :keep true))] (compare (columns c) (mean (* d d) :axis 0)))
  ; The first of equal ones, of a NaN, and of rows of minus infinity; beyond the first step of the loop.
  ; VALUE-NEXT: f32 [2]
  ; VALUE-NEXT: [2 2]
  ; VALUE-NEXT: i32 [2]
  ; VALUE-NEXT: [700 700]
  (def at (iota i32 [2 1300 40] :axis 1))
  (def sharp (where (or (= at 700) (= at 1100)) 2.0 (reshape (concat c c :axis 0) [2 1300 40])))
  (def [most where-most] (places sharp))
  (println (reshape (slice most [0 7] [2 1]) [2]))
  (println (reshape (slice where-most [0 7] [2 1]) [2]))
  ; VALUE-NEXT: i32 [2]
  ; VALUE-NEXT: [900 900]
  (def [_ of-nan] (places (where (or (= at 900) (= at 1200)) nan sharp)))
  (println (reshape (slice of-nan [0 7] [2 1]) [2]))
  ; VALUE-NEXT: i32 [2]
  ; VALUE-NEXT: [0 0]
  (def [_ of-none] (places (full f32 [2 1300 40] -inf)))
  (println (reshape (slice of-none [0 7] [2 1]) [2]))
  ; VALUE-NEXT: i32 [2]
  ; VALUE-NEXT: [700 700]
  (println (reshape (slice (least (neg sharp)) [0 7] [2 1]) [2])))

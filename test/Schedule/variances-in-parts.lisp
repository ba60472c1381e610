; Variances of rows that are few and long, such as a batch norm's: programs make the statistics of parts in one pass, and
; one more adds these. What follows, which is as long as the rows, is a kernel of its own.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; Parts are what the outermost reduced dimension has.
; CHECK-LABEL: func.func @batch(
; CHECK: group.kernel "batch_0" {{.*}} outs(%{{.*}}, %{{.*}} : memref<160x5xf32>, memref<160x5xf32>)
; CHECK: iterator_types = ["parallel", "parallel", "reduction"]
; CHECK: iterator_types = ["parallel", "parallel", "reduction"]
; CHECK: group.kernel "batch_1" {{.*}} outs(%{{.*}}, %{{.*}} : memref<5xf32>, memref<5xf32>)
; CHECK: group.kernel "batch_2" kind(elementwise)
; CHECK-NOT: group.kernel
(defn batch [(: x (tensor 160 5 600 f32)) (: g (tensor 5 f32))]
  (let [d (- x (mean x :axes [0 2] :keep true))
        r (rsqrt (+ (mean (* d d) :axes [0 2] :keep true) 1e-5))]
    (* d r (reshape g [_ 1]))))

; A dimension is divided where it is the only one.
; CHECK-LABEL: func.func @whole(
; CHECK: expand_shape {{.*}} into memref<3x200x400xbf16>
; CHECK: group.kernel "whole_0" {{.*}} outs(%{{.*}}, %{{.*}} : memref<3x200xf32>, memref<3x200xf32>)
(defn whole [(: x (tensor 3 80000 bf16))]
  (let [y (cast f32 x) d (- y (mean y :axis 1 :keep true))] (mean (* d d) :axis 1)))

; No parts of equal size: two reductions in parts, one after the other.
; CHECK-LABEL: func.func @prime(
; CHECK-NOT: memref<{{[0-9]+}}x{{[0-9]+}}xf32>, memref<{{[0-9]+}}x{{[0-9]+}}xf32>)
; CHECK: return
(defn prime [(: x (tensor 2 100003 f32))]
  (let [d (- x (mean x :axis 1 :keep true))] (mean (* d d) :axis 1)))

(defn compare [a b]
  (println "%d" (cast i32 (< (at (max (reshape (abs (- (cast f64 a) b)) [_]))) 1e-3))))
(defn variance [x] (let [d (- x (mean x :axis 1 :keep true))] (mean (* d d) :axis 1)))

(defn main []
  ; VALUE-COUNT-3: {{^1$}}
  (def x (+ 100.0 (sin (* 0.37 (reshape (iota f32 [480000]) [160 5 600])))))
  (def g (+ 1.0 (iota f32 [5])))
  (let [y (cast f64 x) d (- y (mean y :axes [0 2] :keep true))
        r (rsqrt (+ (mean (* d d) :axes [0 2] :keep true) 1e-5))]
    (compare (batch x g) (* d r (cast f64 (reshape g [_ 1])))))
  (def h (cast bf16 (+ 2.0 (sin (* 0.37 (reshape (iota f32 [240000]) [3 80000]))))))
  (compare (whole h) (variance (cast f64 h)))
  (def p (+ 5.0 (cos (* 0.37 (reshape (iota f32 [200006]) [2 100003])))))
  (compare (prime p) (variance (cast f64 p))))

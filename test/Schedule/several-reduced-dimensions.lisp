; Reductions along dimensions between which another is kept, such as the statistics of a batch norm: one tile program for
; each place of what is kept, in a loop over the outer dimension around tiles along the inner one.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>%t.txt
; RUN: FileCheck %s <%t.mlir
; RUN: FileCheck %s --check-prefix=EXPLAIN <%t.txt
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; A tile has two rows of 3,136; each is read once, ahead, and nothing is read behind the last one.
; CHECK-LABEL: gpu.func @sums_0(
; CHECK: vector.transfer_read %{{.*}}{in_bounds = [true, false]} {{.*}}, vector<2x3584xf32>
; CHECK: scf.for %[[N:.*]] = %c0 to %c32 step %c2
; CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c2
; CHECK: vector.transfer_read %{{.*}}[%block_id_x, %[[NEXT]], %c0], %{{[a-z0-9_]+}} : {{.*}}, vector<2x3584xf32>
; CHECK-NOT: transfer_read
; CHECK: vector.multi_reduction <add>, %{{.*}} [0, 1] : vector<2x3584xf32> to f32
(defn sums [(: x (tensor 32 256 3136 f32))] (sum x :axes [0 2]))

; Long rows are walked in chunks.
; CHECK-LABEL: gpu.func @chunks_0(
; CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1
; CHECK: scf.for %{{.*}} = %c0 to %c12000 step %c6144
; CHECK: vector.multi_reduction <maximumf>, %{{.*}} [0] : vector<6144xf32> to f32
(defn chunks [(: x (tensor 3 2 12000 f32))] (max x :axes [0 2]))

; Where the innermost dimension is kept, threads have neighbouring columns; short dimensions are whole in a tile.
; CHECK-LABEL: gpu.func @columns_0(
; CHECK-NOT: scf.for
; CHECK: vector.multi_reduction <add>, %{{.*}} [0, 1] : vector<4x8x32xf32> to vector<32xf32>
(defn columns [(: x (tensor 3 5 7 30 f32))] (sum x :axes [0 2]))
; CHECK-LABEL: gpu.func @"long-columns_0"(
; CHECK: scf.for
; CHECK-NOT: scf.for
; CHECK: vector.multi_reduction <add>, %{{.*}} [0] : vector<640x8xf32> to vector<8xf32>
(defn long-columns [(: x (tensor 3 2 600 20 f32))] (sum x :axes [0 2]))

; Sizes that only the call knows, in two passes and with results of each element.
; CHECK-LABEL: gpu.func @norm_0_256(
; CHECK-LABEL: gpu.func @norm_0(
; CHECK-NOT: gpu.func @norm_1(
; EXPLAIN-DAG: kernel norm_0, row
(defn norm [(: x (tensor n c l f32))]
  (def d (- x (mean x :axes [0 2] :keep true)))
  (* d (rsqrt (+ 1e-5 (mean (* d d) :axes [0 2] :keep true)))))


; Sums along different dimensions are no rows of one kernel.
; EXPLAIN-DAG: kernel shares_0, row
; EXPLAIN-DAG: kernel shares_1, row
; EXPLAIN-DAG: not in shares_0: a result that it needs has other dimensions than its rows
(defn shares [(: x (tensor n c l f32))] (sum (/ x (sum x :axis 2 :keep true)) :axes [0 2]))

; The same formulas in F64.
(defn compare [a (: b (tensor _ f64))]
  (println "%d" (cast i32 (< (at (max (abs (- (cast f64 (reshape a [_])) b)))) 1e-4))))
(defn shares64 [x] (sum (/ x (sum x :axis 2 :keep true)) :axes [0 2]))
(defn centered [x]
  (def d (- x (mean x :axes [0 2] :keep true)))
  (* d (rsqrt (+ 1e-5 (mean (* d d) :axes [0 2] :keep true)))))

(defn main []
  ; VALUE-COUNT-7: {{^1$}}
  (def x (sin (* 0.37 (reshape (iota f32 [2058]) [6 7 49]))))
  (def one (slice x [0 0 0] [6 1 49]))
  (compare (norm x) (reshape (centered (cast f64 x)) [_]))
  (compare (norm one) (reshape (centered (cast f64 one)) [_]))
  (def long (cos (* 0.11 (reshape (iota f32 [72000]) [3 2 12000]))))
  (compare (chunks long) (max (cast f64 long) :axes [0 2]))
  (compare (norm long) (reshape (centered (cast f64 long)) [_]))
  (def four (cos (* 0.11 (reshape (iota f32 [3150]) [3 5 7 30]))))
  (compare (columns four) (reshape (sum (cast f64 four) :axes [0 2]) [_]))
  (def many (cos (* 0.11 (reshape (iota f32 [72000]) [3 2 600 20]))))
  (compare (long-columns many) (reshape (sum (cast f64 many) :axes [0 2]) [_]))
  (compare (shares (+ 2.0 x)) (shares64 (+ 2.0 (cast f64 x))))
  ; Of no elements.
  ; VALUE: f32 [0 7 49]
  (println (norm (slice x [0 0 0] [0 7 49])))
  ; VALUE: f32 [7]
  ; VALUE-NEXT: [0 0 0 0 0 0 0]
  (println (shares (slice x [0 0 0] [6 7 0]))))

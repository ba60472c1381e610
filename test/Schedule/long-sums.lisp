; Sums of few results, and other reductions, whose rows or columns are long: on a GPU, programs sum parts, and a second
; kernel adds these in one order. What the length leaves over is a part of its own. Of a length that only the run knows,
; it chooses.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | lispier-opt -lispier-split-sums | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=tiles --target=cpu %s | FileCheck %s --check-prefix=CPU
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s --check-prefix=VALUE
; CPU-NOT: _parts

; All elements of a matrix, which are longest along the columns: as many parts as a large GPU has programs.
; CHECK-LABEL: func.func @total(
; CHECK: memref.expand_shape %arg0 {{\[\[}}0], [1, 2]]
; CHECK: group.kernel "total_0_parts" kind(row) {{.*}} outs(%{{.*}} : memref<[[P:[0-9]+]]xf32
; CHECK: group.kernel "total_0" kind(row) ins(%{{.*}} : memref<[[P]]xf32
(defn total [(: x (tensor 3 200000 f32))] (sum x))

; What follows is of the few results, and done by the second kernel, which knows the length.
; CHECK-LABEL: func.func @average(
; CHECK: %[[PARTS:.*]] = memref.alloc{{.*}}memref<[[P:[0-9]+]]xf32>
; CHECK: group.kernel "average_0_parts"
; CHECK: group.kernel "average_0_rest"
; CHECK: group.kernel "average_0" kind(row)
(defn average [(: x (tensor 100003 f32))] (+ 1.0 (mean x)))

; Columns: a part has rows.
; CHECK-LABEL: func.func @columns(
; CHECK: memref.expand_shape %arg0 {{\[\[}}0, 1], [2]]
; CHECK: group.kernel "columns_0_parts" kind(row) {{.*}} outs(%{{.*}} : memref<[[P:[0-9]+]]x5xf32
(defn columns [(: x (tensor 20000 5 f32))] (sum x :axis 0))

; Many columns: programs that have parts of them read whole lines of memory, 64 numbers of 16 bits.
; CHECK-LABEL: func.func @"many-columns"(
; CHECK: memref.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [32, 1024, 2304]
; CHECK: group.kernel "many-columns_0_parts" kind(row) {{.*}} outs(%{{.*}} : memref<32x2304xf32
; TILES-LABEL: gpu.func @"many-columns_0_parts"(
; TILES: vector.transfer_read {{.*}}, vector<64x64xbf16>
(defn many-columns [(: x (tensor 32768 2304 bf16))] (sum (cast f32 x) :axis 0))

; Sums of the same rows are made in the same parts, from what these compute of memory, and in one loop.
; CHECK-LABEL: func.func @pair(
; CHECK: group.kernel "pair_0_parts" kind(row) ins(%[[X:[^ ,]*]], %{{[^ ,]*}} : {{.*}}) outs(%[[A:[^ ,]*]], %[[B:[^ ,]*]] :
; CHECK: group.kernel "pair_0" kind(row) ins(%[[A]], %[[B]] :
; TILES-LABEL: gpu.func @pair_0_parts(
; TILES-COUNT-1: scf.for
; TILES-NOT: scf.for
; TILES: gpu.return
(defn pair [(: x (tensor 20000 8 f32)) (: y (tensor 20000 8 f32))] [(sum (* x y) :axis 0) (sum x :axis 0)])

; What is done to elements before they are combined is done by the parts.
; CHECK-LABEL: func.func @farthest(
; CHECK: group.kernel "farthest_0_parts"
; CHECK: math.absf
; CHECK: group.kernel "farthest_0" kind(row)
; CHECK-NOT: math.absf
(defn farthest [(: x (tensor 160000 bf16)) (: y (tensor 160000 bf16))] (max (abs (- (cast f32 x) (cast f32 y)))))

; A length that only the run knows.
; CHECK-LABEL: func.func @"any-total"(
; CHECK: %[[LONG:.*]] = arith.cmpi uge
; CHECK: scf.if %[[LONG]]
; CHECK: group.kernel "any-total_0_parts"
; CHECK: group.kernel "any-total_0_rest"
; CHECK: group.kernel "any-total_0_added"
; CHECK: } else {
; CHECK: group.kernel "any-total_0" kind(row) ins(%arg0
(defn any-total [(: x (tensor n f32))] (sum x))
; CHECK-LABEL: func.func @"any-columns"(
; CHECK: group.kernel "any-columns_0_parts"
(defn any-columns [(: x (tensor n 3 f32))] (sum x :axis 0))
; CHECK-LABEL: func.func @"any-product"(
; CHECK: group.kernel "any-product_0_parts" kind(contraction)
; CHECK: group.kernel "any-product_0_rest" kind(contraction)
(defn any-product [(: x (tensor n 20 f32)) (: y (tensor n 24 f32))] (einsum "tc,td->cd" x y))

; A row that is needed again is not in the kernel of its sum, which would be one program for all of it.
; CHECK-LABEL: func.func @shares(
; CHECK: group.kernel "shares_0_parts"
; CHECK: group.kernel "shares_1" kind(elementwise)
; CHECK-LABEL: func.func @weights(
; CHECK: group.kernel "weights_0_parts"
; CHECK: arith.maximumf
; CHECK: group.kernel "weights_{{[12]}}_parts"
; CHECK: arith.addf
(defn shares [(: x (tensor 1 100000 f32))] (/ x (sum x)))
(defn weights [(: x (tensor 1 100000 f32))] (softmax x))

; The largest element, but not its place, which is counted from the beginning.
; CHECK-LABEL: func.func @place(
; CHECK: group.kernel "place_0_parts"
; Many rows, and short ones.
; CHECK-NOT: _parts"
(defn place [(: x (tensor 100000 f32))] (argmax x))
(defn many [(: x (tensor 128 100000 f32))] (sum x :axis 1))
(defn short [(: x (tensor 2 8192 f32))] (sum x))
; CHECK-LABEL: func.func @main(

; The largest difference from F64, beside the largest number. A CPU adds the elements of a column one after the other, so
; that the rounding of N numbers is about sqrt(N) times that of one.
(defn compare [a b (: tolerance f64)]
  (println "%d" (cast i32 (< (at (max (abs (- (cast f64 a) b)))) (* tolerance (at (max (abs b))))))))

(defn main []
  ; VALUE-COUNT-16: {{^1$}}
  (def x (+ 0.5 (sin (* 0.37 (iota f32 [600000])))))
  (compare (total (reshape x [3 200000])) (sum (cast f64 x)) (: 1e-6 f64))
  (def some (slice x [0] [100003]))
  (compare (average some) (+ 1.0 (mean (cast f64 some))) (: 1e-6 f64))
  (def long (reshape (slice x [0] [100000]) [20000 5]))
  (compare (columns long) (sum (cast f64 long) :axis 0) (: 1e-5 f64))
  (def e (reshape (slice x [0] [160000]) [20000 8]))
  (def f (reshape (slice x [5] [160000]) [20000 8]))
  (def [products sums] (pair e f))
  (compare products (sum (* (cast f64 e) (cast f64 f)) :axis 0) (: 1e-5 f64))
  (compare sums (sum (cast f64 e) :axis 0) (: 1e-5 f64))
  (def u (cast bf16 (slice x [0] [160000])))
  (def v (cast bf16 (cos (* 0.2 (iota f32 [160000])))))
  (compare (farthest u v) (max (abs (- (cast f64 u) (cast f64 v)))) (: 1e-7 f64))
  (compare (any-total x) (sum (cast f64 x)) (: 1e-5 f64))
  (compare (any-total (slice x [0] [98304])) (sum (cast f64 (slice x [0] [98304]))) (: 1e-5 f64))
  (compare (any-total (slice x [0] [70])) (sum (cast f64 (slice x [0] [70]))) (: 1e-6 f64))
  (def three (reshape x [200000 3]))
  (compare (any-columns three) (sum (cast f64 three) :axis 0) (: 1e-4 f64))
  (compare (any-columns (slice three [0 0] [11 3])) (sum (cast f64 (slice three [0 0] [11 3])) :axis 0) (: 1e-6 f64))
  (def row (reshape (slice x [0] [100000]) [1 100000]))
  (compare (shares row) (/ (cast f64 row) (sum (cast f64 row))) (: 1e-5 f64))
  (compare (weights row) (softmax (cast f64 row)) (: 1e-5 f64))
  (def start (slice x [0] [100000]))
  (println "%d" (cast i32 (= (at (place start)) (at (argmax (cast f64 start))))))
  (def a (reshape (slice x [0] [200060]) [10003 20]))
  (def b (reshape (slice x [9] [240072]) [10003 24]))
  (compare (any-product a b) (einsum "tc,td->cd" (cast f64 a) (cast f64 b)) (: 1e-5 f64))
  (compare (any-product (slice a [0 0] [33 20]) (slice b [0 0] [33 24]))
           (einsum "tc,td->cd" (cast f64 (slice a [0 0] [33 20])) (cast f64 (slice b [0 0] [33 24]))) (: 1e-5 f64)))

; Reductions along a row of which one element counts are that element, read by itself: also of places outside of the row,
; of rows without elements, and where conditions only look like it. Short rows are several in a tile.
; RUN: lispier --emit=tiles --target=sim:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
(require-dialect memref)

(defn at [(: x (tensor n c f32)) (: p (tensor n i32))] (= (iota i32 [n c] :axis 1) (reshape p [n 1])))
(defn sums [(: x (tensor n c f32)) (: p (tensor n i32))] (sum (where (at x p) (* 2.0 x) 0.0) :axis 1))
(defn largest [(: x (tensor n c f32)) (: p (tensor n i32))] (max (where (at x p) x -inf) :axis 1))
(defn loss [(: x (tensor n c f32)) (: p (tensor n i32))]
  (let [most (max x :axis 1 :keep true)]
    (- (log (sum (exp (- x most)) :axis 1)) (sum (where (at x p) (- x most) 0.0) :axis 1))))
; These are reductions of whole rows: another number elsewhere, another place for each element.
(defn others [(: x (tensor n c f32)) (: p (tensor n i32))] (sum (where (at x p) x 1.0) :axis 1))
(defn many [(: x (tensor n c f32))]
  (sum (where (= (iota i32 [n c] :axis 1) (cast i32 x)) x 0.0) :axis 1))
(defn bytes [(: x (tensor n c f32)) (: p (tensor n i32))]
  (sum (where (= (cast i8 (iota i32 [n c] :axis 1)) (cast i8 (reshape p [n 1]))) x 0.0) :axis 1))

; TILES-LABEL: gpu.func @sums_0_4096(
; TILES-NOT: transfer_read
; TILES: %[[PLACE:.*]] = arith.select %[[INSIDE:.*]], %{{.*}}, %c0
; TILES: scf.if %[[INSIDE]] -> (f32)
; TILES: memref.load %{{.*}}[%{{.*}}, %[[PLACE]]]
; TILES-NOT: transfer_read
; TILES: gpu.return
; TILES-LABEL: gpu.func @largest_0_4096(
; TILES-NOT: transfer_read
; TILES: gpu.return
; A read of one element takes no registers from the reductions beside it.
; TILES-LABEL: gpu.func @loss_0(
; TILES: transfer_read {{.*}} vector<10240xf32>
; TILES-LABEL: gpu.func @others_0_4096(
; TILES: transfer_read
; TILES-LABEL: gpu.func @many_0_4096(
; TILES: transfer_read
; TILES-LABEL: gpu.func @bytes_0_4096(
; TILES: transfer_read

(defn main [(: count i64) (: words !llvm.ptr)]
  (let [c (+ 2000 (cast index count))
        x (cast f32 (iota i32 [5 c] :axis 1))
        p (- (* 501 (iota i32 [5])) 1)
        none (full f32 [5 (cast index count)] 1.0)]
    ; CHECK: 0 1000 2002 3004 0
    (println (sums x p))
    ; CHECK: -inf 500 1001 1502 -inf
    (println (largest x p))
    ; CHECK: 0.4586{{[0-9]*}} 1499.46 998.459 497.459 0.4586
    (println (loss x p))
    ; CHECK: 2000 2499 3000 3501 2000
    (println (others x p))
    ; CHECK: 1.999e+06 1.999e+06 1.999e+06 1.999e+06 1.999e+06
    (println (many x))
    ; CHECK: 7161 7084 7007 6930 6853
    (println (bytes x p))
    ; CHECK: 0 0 0 0 0
    (println (sums none p))))

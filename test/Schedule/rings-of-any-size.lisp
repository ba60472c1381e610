; Products whose sizes only a call knows are computed by rings where the result is large and rows are aligned: what lies beyond
; the end is 0 where it is copied, and not written. Other calls take the programs for all sizes and for all memory.
; RUN: lispier --emit=loops --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier run --effort=full %s > %t.expected
; RUN: lispier run --effort=full --target=sim:sm_90a %s | diff %t.expected -
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=LAUNCH
; RUN: lispier --emit=loops --target=cuda:sm_80 %s | FileCheck %s --check-prefix=OLDER

; The program for large results has no form for other memory: it is that of the last one.
; CHECK: gpu.func @product_0_16(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @product_0_large(
; CHECK-COUNT-2: tile.fill %
; CHECK-NOT: @product_0_large_unaligned
; CHECK: gpu.func @product_0(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @product_0_unaligned(
; CHECK: gpu.func @finished_0{{.*}}(
; CHECK: gpu.func @finished_0_large(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @finished_0(
; CHECK: gpu.func @gated_0_large(
; CHECK-COUNT-3: tile.fill %
; CHECK: gpu.func @of_columns_0_large(
; CHECK-COUNT-2: tile.fill %

; LAUNCH: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c4325376{{.*}} : index
; LAUNCH: scf.if %[[LARGE]]
; LAUNCH: gpu.launch_func @groups::@product_0_large
; LAUNCH: } else {
; LAUNCH: gpu.launch_func @groups::@product_0 blocks

; OLDER-NOT: _large(
; OLDER: gpu.func @product_0(

(defn product [(: x (tensor _ _ bf16)) (: w (tensor _ _ bf16))] (cast bf16 (einsum "tk,kn->tn" x w :out f32)))
; A bias, an activation and a residual, in F32 and in BF16.
(defn finished [(: x (tensor _ _ bf16)) (: w (tensor _ _ bf16)) (: b (tensor _ f32)) (: r (tensor _ _ bf16))]
  (cast bf16 (+ r (max (+ (einsum "tk,kn->tn" x w :out f32) b) 0.0))))
(defn gated [(: x (tensor _ _ bf16)) (: g (tensor _ _ bf16)) (: u (tensor _ _ bf16))]
  (* (max (einsum "tk,kn->tn" x g :out f32) 0.0) (einsum "tk,kn->tn" x u :out f32)))
; The gradient of weights: both factors by columns; F32 results with one that is added.
(defn of-columns [(: x (tensor _ _ bf16)) (: w (tensor _ _ bf16)) (: r (tensor _ _ f32))]
  (+ r (einsum "kt,kn->tn" x w :out f32)))

(defn numbers [x (: m i32)] (- (cast bf16 (% x m)) (cast bf16 (/ m 2))))
(defn of-sizes [(: t index) (: n index) (: m i32)] (numbers (reshape (iota i32 [(* t n)]) [t n]) m))
;; Numbers are integers, and their sums exact.
(defn show [(: c (tensor _ _ f32))]
  (def weighted (* c (cast f32 (% (reshape (iota i32 [(* (dim c 0) (dim c 1))]) [(dim c 0) (dim c 1)]) 11))))
  (def rows (sum weighted :axis 1))
  (def columns (sum weighted :axis 0))
  (println "%g %g %g %g" (at (max rows :axis 0)) (at (min rows :axis 0)) (at (max columns :axis 0)) (at (min columns :axis 0))))

;; Sizes are parameters, which a call does not make known.
(defn show-product [(: t index) (: k index) (: n index)]
  (show (cast f32 (product (of-sizes t k 7) (of-sizes k n 5)))))
(defn show-others [(: t index) (: k index) (: n index)]
  (def x (of-sizes t k 7))
  (def w (of-sizes k n 5))
  (def r (of-sizes t n 9))
  (show (cast f32 (finished x w (cast f32 (numbers (iota i32 [n]) 3)) r)))
  (show (gated x w (of-sizes k n 3)))
  (show (of-columns (of-sizes k t 7) w (cast f32 r))))
;; The last tiles have 8 rows and 80 columns, and 8 of what is summed; then rows that are not aligned; then
;; a small result.
(defn main []
  (show-others 2056 72 2128)
  (show-product 2056 24 2127)
  (show-product 40 72 48))

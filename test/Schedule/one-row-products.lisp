; A product of few rows in a formula that no hand-written kernel has: one row is sums along the weight's rows, each read
; once, rather than a tile of a product.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s

; The product that multiplies by the gate is in its kernel: x is read once for both.
; TILES-LABEL: gpu.func @gated_0_1(
; TILES-COUNT-2: vector.multi_reduction <add>, %{{.*}} [1] : vector<4x256xf32> to vector<4xf32>
; TILES: gpu.func @gated_0_16(
; TILES: vector.contract
(defn gated [(: x (tensor t 200 bf16)) (: wg (tensor 37 200 bf16)) (: wu (tensor 37 200 bf16))] -> (tensor t 37 f32)
  (* (silu (einsum "tk,nk->tn" x wg :out f32)) (einsum "tk,nk->tn" x wu :out f32)))

; A long row is walked in chunks. The weights' columns are no rows: a tile of a product reads them.
; TILES-LABEL: gpu.func @long_0_1(
; TILES: scf.for
; TILES: vector<4x1024xf32>
(defn long [(: x (tensor t k bf16)) (: w (tensor n k bf16))] -> (tensor t n f32)
  (let [y (einsum "tk,nk->tn" x w :out f32)] (max y (* 0.5 y))))
; TILES-NOT: gpu.func @columns_0_1(
; TILES: gpu.func @columns_0_16(
(defn columns [(: x (tensor t k bf16)) (: w (tensor k n bf16))] -> (tensor t n f32)
  (let [y (einsum "tk,kn->tn" x w :out f32)] (max y (* 0.5 y))))

(defn numbers [(: rows index) (: columns index) (: seed f32)] -> (tensor _ _ bf16)
  (cast bf16 (sin (* seed (+ (* 7.0 (iota f32 [rows columns] :axis 0)) (iota f32 [rows columns] :axis 1))))))
(defn far [a b] (> (max (abs (- a b))) 1e-3))

; The number of rows is known only when it runs.
(defn check [(: t index)]
  (def x (numbers 3 200 0.7))
  (def wg (numbers 37 200 1.3))
  (def wu (numbers 37 200 0.9))
  (println (far (gated (slice x [1 0] [t 200]) wg wu) (slice (gated x wg wu) [1 0] [t 37])))
  (def y (numbers 2 2500 0.7))
  (def w (numbers 11 2500 0.01))
  (def rows (slice (long y w) [1 0] [t 11]))
  (println (far (long (slice y [1 0] [t 2500]) w) rows))
  (println (far (columns (slice y [1 0] [t 2500]) (transpose w [1 0])) rows)))
; CHECK-COUNT-3: i1 [] false
(defn main [] (check 1))

; The zeros of a sum that is computed tile by tile are made once, before the loop over the tiles. Upstream's
; transform.structured.fuse moves a linalg.fill into a loop over tiles of a size that only the run knows, so that the last
; tile alone is the sum: 64 instead of 128.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier --emit=tiles --target=sim:sm_80 %s | FileCheck %s --check-prefix=TILES

; TILES-LABEL: gpu.func @product_0(
; TILES: %[[ZEROS:.*]] = vector.broadcast %{{.*}} : f32 to vector<{{.*}}xf32>
; TILES: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
; TILES: vector.contract
; TILES: gpu.return
(defn product [(: a (tensor m k f32)) (: b (tensor k n f32))] (einsum "mk,kn->mn" a b))
; TILES-LABEL: gpu.func @sums_0(
; TILES: scf.for {{.*}} iter_args(
; TILES: gpu.return
(defn sums [(: a (tensor m k f32))] (sum a :axis 1))

(defn main [(: words i32) (: word !llvm.ptr)]
  (def k (+ 128 (cast index words)))
  (def longer (* 100 k))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: {{\[\[}}128 128 128]
  (println (product (full f32 [2 k] 1.0) (full f32 [k 3] 1.0)))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [12800 12800]
  (println (sums (full f32 [2 longer] 1.0))))

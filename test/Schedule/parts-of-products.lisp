; What follows a product may be parts of a result, as the derivatives of a gated unit are: its kernel computes and stores
; each part after the other, in the type in which the next products read them, and none of it twice.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; TILES-LABEL: gpu.func @gradients_4(
; TILES: vector.contract
; TILES: scf.yield
; TILES-COUNT-1: math.exp
; TILES: vector.transfer_write %{{.*}}[%c0, %{{.*}}]{{.*}} : vector<64x64xbf16>, memref<2x100x136xbf16, strided<[136, 272, 1]>>
; TILES-NOT: math.exp
; TILES-NOT: arith.select
; TILES: vector.transfer_write %{{.*}}[%c1, %{{.*}}]{{.*}} : vector<64x64xbf16>, memref<2x100x136xbf16, strided<[136, 272, 1]>>
; TILES-NEXT: gpu.return
(defn unit [(: x (tensor 100 72 bf16)) (: w (tensor 272 72 bf16)) (: o (tensor 72 136 bf16))]
  (def [gate up] (split (cast bf16 (einsum "tc,nc->tn" x w :out f32)) 2 :axis -1))
  (cast bf16 (einsum "tn,cn->tc" (cast bf16 (* (silu (cast f32 gate)) (cast f32 up))) o :out f32)))
(defn gradients [(: x (tensor 100 72 bf16)) (: w (tensor 272 72 bf16)) (: o (tensor 72 136 bf16))
                 (: d (tensor 100 72 bf16))]
  (vjp unit x w o :seed d :wrt [0 1 2]))

(defmacro noise [salt & sizes]
  `(cast bf16 (reshape (- (/ (cast f32 (% (+ ~salt (* 7919 (iota i64 [(* ~@sizes)]))) 10007)) 10007.0) 0.5)
                       [~@sizes])))

; CHECK: 61825 33543 213512 403071
(defn main []
  (def [y dx dw do] (gradients (noise 1 100 72) (noise 2 272 72) (noise 3 72 136) (noise 4 100 72)))
  (println "%.0f %.0f %.0f %.0f" (sum (abs (cast f32 y))) (sum (abs (cast f32 dx))) (sum (abs (cast f32 dw)))
           (sum (abs (cast f32 do)))))

; Products of what other products make are computed in one kernel, which computes the others again for each of its tiles:
; of the gradients of attention, one that sums along the keys, and one for both that sum along the queries. Nothing as
; large as the scores is in memory, and tiles in which a mask makes all weights 0 are not walked.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=GROUPS
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; The queries' gradient has the keys in its loop, up to the last that a token of the tile sees. What the products sum
; has 0.125 as its factor, the exact inverse of 8.
; TILES-LABEL: gpu.func @gradients_1(
; TILES: %[[END:.*]] = arith.minsi
; TILES: %[[WHOLE:.*]] = arith.minsi %{{.*}}, %[[END]]
; TILES: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c64
; TILES-COUNT-2: vector.contract
; TILES-NOT: arith.divf
; TILES: arith.truncf {{.*}} to vector<64x64xbf16>
; TILES: vector.contract
; TILES-NEXT: scf.yield
; The others have the queries in one loop, from the first that sees a key of the tile on, and scores as rows of keys,
; so that nothing is transposed.
; TILES-LABEL: gpu.func @gradients_2(
; TILES: %[[FIRST:.*]] = arith.maxsi
; TILES: %[[BLOCK:.*]] = arith.divui %[[FIRST]]
; TILES: %[[BEGIN:.*]] = arith.muli %[[BLOCK]]
; TILES: %[[SPLIT:.*]] = arith.minsi %{{.*}}, %c192
; TILES: scf.for %{{.*}} = %[[BEGIN]] to %[[SPLIT]]
; TILES-NOT: vector.transpose
; TILES: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
; TILES: scf.for %{{.*}} = %[[SPLIT]] to %c192
; TILES-NOT: vector.transpose
; TILES: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
; TILES-NOT: scf.for
; TILES: gpu.return
; GROUPS-LABEL: func.func @gradients(
; GROUPS-NOT: memref.alloc{{.*}}192x192
; GROUPS-LABEL: func.func @wide(
(defn gradients [(: q (tensor 2 192 3 64 bf16)) (: k (tensor 2 192 3 64 bf16)) (: v (tensor 2 192 3 64 bf16))
                 (: do (tensor 2 192 3 64 bf16)) (: lse (tensor 2 3 192 f32))]
  (def o (sum (* (cast f32 do) (cast f32 v)) :axis -1))
  (def seen (<= (iota i32 [192]) (iota i32 [192 1] :axis 0)))
  (def s (where seen (/ (einsum "bthd,bshd->bhts" q k :out f32) 8.0) -inf))
  (def p (exp (- s (stack lse :axis -1))))
  (def dp (- (einsum "bthd,bshd->bhts" do v :out f32) (stack (transpose o [0 2 1]) :axis -1)))
  (def ds (cast bf16 (/ (* p dp) 8.0)))
  [(einsum "bhts,bshd->bthd" ds k :out f32) (einsum "bhts,bthd->bshd" ds q :out f32)
   (einsum "bhts,bthd->bshd" (cast bf16 p) do :out f32)])

; What else uses the operand reads it from memory, where the product finds it, too; products of F32 and those that sum
; many numbers are not computed again.
; GROUPS: memref.alloc{{.*}} memref<150x170xbf16>
; GROUPS-LABEL: func.func @deep(
(defn wide [(: a (tensor 150 24 bf16)) (: b (tensor 170 24 bf16)) (: c (tensor 170 20 bf16))]
  (def w (cast bf16 (max 0.0 (einsum "mk,nk->mn" a b :out f32))))
  [(einsum "mn,nd->md" w c :out f32) (cast f32 w)])
; GROUPS: memref.alloc{{.*}} memref<300x310xbf16>
; GROUPS-LABEL: func.func @single(
(defn deep [(: a (tensor 300 160 bf16)) (: b (tensor 310 160 bf16)) (: c (tensor 310 20 bf16))]
  (einsum "mn,nd->md" (cast bf16 (max 0.0 (einsum "mk,nk->mn" a b :out f32))) c :out f32))
; GROUPS: memref.alloc{{.*}} memref<150x170xf32>
; GROUPS-LABEL: func.func @narrow(
(defn single [(: a (tensor 150 24 f32)) (: b (tensor 170 24 f32)) (: c (tensor 170 20 f32))]
  (einsum "mn,nd->md" (max 0.0 (einsum "mk,nk->mn" a b)) c))

; Sizes that are no multiples of a tile, a product in the second operand, sums in either order, and batches.
; GROUPS-NOT: memref.alloc{{.*}}150x170x
; GROUPS-LABEL: func.func @filled(
(defn narrow [(: a (tensor 2 150 24 bf16)) (: b (tensor 170 2 24 bf16)) (: c (tensor 2 170 20 bf16))
              (: e (tensor 20 150 2 bf16))]
  (def w (max 0.0 (einsum "bmk,nbk->bmn" a b :out f32)))
  (def u (cast bf16 (* w w)))
  [(einsum "bnd,bmn->bmd" c u :out f32) (einsum "dmb,bmn->nbd" e u :out f32)])

; A factor of equal numbers is a tensor like any other, and no beginning of a sum.
; GROUPS-NOT: memref.alloc{{.*}}150x170x
; GROUPS-LABEL: func.func @attended(
(defn filled [(: b (tensor 170 24 bf16)) (: c (tensor 170 20 bf16))]
  (def a (full bf16 [150 24] 0.5))
  (einsum "mn,nd->md" (cast bf16 (tanh (einsum "mk,nk->mn" a b :out f32))) c :out f32))

; Heads of queries that share a head of keys: their gradients sum along the heads, too, each of which has a loop of its
; own over the queries.
; TILES-LABEL: gpu.func @shared_3(
; TILES: scf.for %{{.*}} = %c0 to %c3 step %c1
; TILES: arith.maxsi
; TILES: scf.for %{{.*}} to %c192 step %c64
; TILES: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
; TILES: scf.yield %{{.*}}, %{{.*}} : vector<64x64xf32>, vector<64x64xf32>
; TILES-NOT: scf.for
; TILES: gpu.return
; GROUPS-LABEL: func.func @shared(
; GROUPS-NOT: memref.alloc{{.*}}192x192
; GROUPS-LABEL: func.func @main(
(defn attended [(: q (tensor 192 2 3 64 bf16)) (: k (tensor 2 192 64 bf16)) (: v (tensor 2 192 64 bf16))]
  (def seen (<= (iota i32 [192]) (iota i32 [192 1] :axis 0)))
  (def scores (where seen (/ (einsum "tgrd,gsd->grts" q k :out f32) 8.0) -inf))
  (cast bf16 (einsum "grts,gsd->tgrd" (cast bf16 (softmax scores)) v :out f32)))
(defn shared [(: q (tensor 192 2 3 64 bf16)) (: k (tensor 2 192 64 bf16)) (: v (tensor 2 192 64 bf16))
              (: do (tensor 192 2 3 64 bf16))]
  (vjp attended q k v :seed do :wrt [0 1 2]))

(defmacro noise [salt & sizes]
  `(cast bf16 (reshape (- (/ (cast f32 (% (+ ~salt (* 7919 (iota i64 [(* ~@sizes)]))) 10007)) 10007.0) 0.5)
                       [~@sizes])))

; CHECK: dq 2861.4 dk 2865.0 dv 6433.7
; CHECK: shared 3499 3336 3312 3244
; CHECK: x 6406.2 y 9848.4
; CHECK: z 1680.4 w 10317.2
; CHECK: filled 526.4
; CHECK: deep 121814
; CHECK: single 1680.8
(defn main []
  (def [q k v do] [(noise 1 2 192 3 64) (noise 2 2 192 3 64) (noise 3 2 192 3 64) (noise 4 2 192 3 64)])
  (def [dq dk dv] (gradients q k v do (full f32 [2 3 192] 4.0)))
  (println "dq %.1f dk %.1f dv %.1f" (sum (abs dq)) (sum (abs dk)) (sum (abs dv)))
  (def [sq sdo sk sv] [(noise 1 192 2 3 64) (noise 4 192 2 3 64) (noise 2 2 192 64) (noise 3 2 192 64)])
  (def [so tq tk tv] (shared sq sk sv sdo))
  (println "shared %.0f %.0f %.0f %.0f" (sum (abs (cast f32 so))) (sum (abs (cast f32 tq))) (sum (abs (cast f32 tk))) (sum (abs (cast f32 tv))))
  (def [a b c e] [(noise 5 2 150 24) (noise 6 170 2 24) (noise 7 2 170 20) (noise 8 20 150 2)])
  (def [x y] (narrow a b c e))
  (println "x %.1f y %.1f" (sum (abs x)) (sum (abs y)))
  (def [z w] (wide (noise 1 150 24) (noise 2 170 24) (noise 3 170 20)))
  (println "z %.1f w %.1f" (sum (abs z)) (sum (abs w)))
  (println "filled %.1f" (sum (abs (filled (noise 2 170 24) (noise 3 170 20)))))
  (println "deep %.0f" (sum (abs (deep (noise 1 300 160) (noise 2 310 160) (noise 3 310 20)))))
  (println "single %.1f" (sum (abs (single (cast f32 (noise 1 150 24)) (cast f32 (noise 2 170 24))
                                           (cast f32 (noise 3 170 20)))))))

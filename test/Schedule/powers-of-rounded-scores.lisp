; Weights of attention are powers of two where scores are products of 16-bit factors, whose rounding is greater than
; that of x log2(e): one multiplication and one instruction instead of ten. Not so of F32 factors. A row whose scores
; are all the least number there is has equal weights.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s --check-prefix=RESULT

(defn attended [q k v seen]
  (def scores (where seen (einsum "htd,hsd->hts" q k :out f32) -3.4028234663852886e38))
  (einsum "hts,hsd->htd" (cast bf16 (softmax scores)) v :out f32))

; TILES-LABEL: gpu.func @narrow_0(
; TILES-NOT: math.exp %
; TILES: %[[DIFFERENCE:.*]] = arith.subf %{{.*}} : vector<64x64xf32>
; TILES: %[[POWER:.*]] = arith.mulf %[[DIFFERENCE]], %{{.*}} : vector<64x64xf32>
; TILES: math.exp2 %[[POWER]] : vector<64x64xf32>
(defn narrow [(: q (tensor 2 64 64 bf16)) (: k (tensor 2 128 64 bf16)) (: v (tensor 2 128 64 bf16)) (: n i32)]
  (attended q k v (< (iota i32 [64 1] :axis 0) (+ n (* 0 (iota i32 [128]))))))

; TILES-LABEL: gpu.func @wide_0(
; TILES-NOT: math.exp2
; TILES: math.exp %
(defn wide [(: q (tensor 2 64 64 f32)) (: k (tensor 2 128 64 f32)) (: v (tensor 2 128 64 f32)) (: n i32)]
  (def scores (where (< (iota i32 [64 1] :axis 0) (+ n (* 0 (iota i32 [128])))) (einsum "htd,hsd->hts" q k) 0.0))
  (einsum "hts,hsd->htd" (softmax scores) v))

; The first 32 rows see all, the others nothing: both are means of equal values.
; RESULT: f32 [] 1
; RESULT-NEXT: f32 [] 1
(defn main []
  (let [one (full bf16 [2 128 64] 1.0)
        x (* 0.01 (cast f32 (iota i32 [2 64 64] :axis 1)))]
    (println (max (narrow (cast bf16 x) one one 32)))
    (println (min (narrow (cast bf16 x) one one 32)))))

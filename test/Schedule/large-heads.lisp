; Attention of heads larger than 256 is two products and a softmax: one kernel would compute the scores again for each part
; of the result's columns.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s

; TILES-LABEL: func.func @attended(
; TILES-COUNT-3: gpu.launch_func
; TILES-NOT: gpu.launch_func
; TILES: return
(defn attended [(: q (tensor 2 20 272 f32)) (: k (tensor 2 24 272 f32)) (: v (tensor 2 24 272 f32))]
  (einsum "hts,hsd->htd" (softmax (/ (einsum "htd,hsd->hts" q k) (sqrt (cast f32 (dim q 2))))) v))

; Of 256 it is one kernel.
; TILES-LABEL: func.func @small(
; TILES-NOT: gpu.launch_func
; TILES: call @__template_nn.attention
(defn small [(: q (tensor 2 20 256 f32)) (: k (tensor 2 24 256 f32)) (: v (tensor 2 24 256 f32))]
  (einsum "hts,hsd->htd" (softmax (/ (einsum "htd,hsd->hts" q k) (sqrt (cast f32 (dim q 2))))) v))

(defn numbers [(: t index) (: d index)] (sin (reshape (* 0.37 (iota f32 [(* 2 (* t d))])) [2 t d])))

(defn main []
  (def q (numbers 20 272))
  (def k (* 3.0 (numbers 24 272)))
  (def v (cos (numbers 24 272)))
  (def y (attended q k v))
  (println "%.4f %.1f" (at y 1 19 271) (sum (* y y)))  ; CHECK: 0.7341 6621.8
  (def z (small (slice q :axis 2 :size 256) (slice k :axis 2 :size 256) (slice v :axis 2 :size 256)))
  (println "%.1f" (sum (* z z))))  ; CHECK-NEXT: 6232.9

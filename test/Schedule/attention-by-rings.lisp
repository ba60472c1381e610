; Attention of known sizes in as many tiles as multiprocessors goes by rings: causal, in packed heads, with a loop for the
; positions of which the mask leaves out nothing; other attention does not.
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
; RINGS: gpu.func @causal_0(
; RINGS: tile.fill %
; RINGS: gpu.func @"few-tiles_0"(
; RINGS-NOT: tile.fill %
; RINGS: gpu.func @biased_0(
; RINGS-NOT: tile.fill %
; RINGS: gpu.func @main_0(
(require-dialect memref)

(defn scores [q k (: d index)] (/ (einsum "htd,hsd->hts" q k :out f32) (sqrt (cast f32 d))))
(defn attended [s v] (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax s)) v :out f32)))

(defn causal [(: x (tensor 2 256 33 3 64 bf16))] -> (tensor 2 256 33 64 bf16)
  (def [q k v] (split x 3 :axis 3))
  (def seen (<= (iota i32 [256]) (iota i32 [256 1] :axis 0)))
  (def s (/ (einsum "bthd,bshd->bhts" (reshape q [2 256 33 64]) (reshape k [2 256 33 64]) :out f32) 8.0))
  (cast bf16 (einsum "bhts,bshd->bthd" (cast bf16 (softmax (where seen s -inf))) (reshape v [2 256 33 64]) :out f32)))

(defn few-tiles [(: q (tensor 8 256 64 bf16)) (: k (tensor 8 256 64 bf16)) (: v (tensor 8 256 64 bf16))]
    -> (tensor 8 256 64 bf16)
  (attended (scores q k 64) v))

(defn biased [(: q (tensor 66 256 64 bf16)) (: k (tensor 66 256 64 bf16)) (: v (tensor 66 256 64 bf16))
              (: bias (tensor 256 256 f32))] -> (tensor 66 256 64 bf16)
  (attended (+ bias (scores q k 64)) v))

; The largest error of 64 elements.
(defn error-of [(: x memref<2x256x33x3x64xbf16>) (: y memref<2x256x33x64xbf16>)] -> f32
  (def errors (device-alloc memref<64xf32> []))
  (parallel [e 64]
    (def [b t h j] [(% e 2) (% (+ 5 (* e 97)) 256) (% (* 7 e) 33) (% (* 11 e) 64)])
    (def [z total] (fold [z (: 0.0 f32) total (: 0.0 f32)] [s 0 (+ t 1)]
      (def score (fold [a (: 0.0 f32)] [k 0 64]
        (+ a (* (cast f32 (memref.load x b t h 0 k)) (cast f32 (memref.load x b s h 1 k))))))
      (def p (exp (/ score 8.0)))
      [(+ z p) (+ total (* p (cast f32 (memref.load x b s h 2 j))))]))
    (memref.store (abs (- (/ total z) (cast f32 (memref.load y b t h j)))) errors e))
  (def host (memref.alloc {:result memref<64xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 64]
    (def error (memref.load host e))
    (if (<= error worst) worst error)))

; CHECK: causal: ok
(defn main []
  (def x (device-alloc memref<2x256x33x3x64xbf16> []))
  (def y (device-alloc memref<2x256x33x64xbf16> []))
  (parallel [b 2 t 256 h 33 e 192]
    (def n (% (+ (* 5 b) (* 7 t) (* 3 h) (* 11 e) (* t e)) 23))
    (memref.store (cast bf16 (/ (- (cast f32 n) 11.0) 6.0)) x b t h (/ e 64) (% e 64)))
  (store (causal (load x)) y)
  (def error (error-of x y))
  (println "causal: %s, largest error %.1e" (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))

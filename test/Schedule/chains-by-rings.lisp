; Gradients of attention, products of what two others make, go by rings in as many tiles as multiprocessors: that of the
; queries, and those of keys and values, which are two sums in one loop.
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
; RINGS: gpu.func @"of-queries_0"(
; RINGS: tile.fill %
; RINGS: gpu.func @"of-others_0"(
; RINGS: tile.fill %
; RINGS: gpu.func @main_0(
(require-dialect memref)

(defn weights [q k (: l (tensor 66 256 1 f32))]
  (def s (/ (einsum "htd,hsd->hts" q k :out f32) 8.0))
  (exp (- (where (<= (iota i32 [256]) (iota i32 [256 1] :axis 0)) s -inf) l)))
(defn changes [p do v (: delta (tensor 66 256 1 f32))]
  (cast bf16 (* 0.125 (* p (- (einsum "htd,hsd->hts" do v :out f32) delta)))))

(defn of-queries [(: q (tensor 66 256 64 bf16)) (: k (tensor 66 256 64 bf16)) (: v (tensor 66 256 64 bf16))
                  (: do (tensor 66 256 64 bf16)) (: l (tensor 66 256 1 f32)) (: delta (tensor 66 256 1 f32))]
    -> (tensor 66 256 64 bf16)
  (cast bf16 (einsum "hts,hsd->htd" (changes (weights q k l) do v delta) k :out f32)))

(defn of-others [(: q (tensor 66 256 64 bf16)) (: k (tensor 66 256 64 bf16)) (: v (tensor 66 256 64 bf16))
                 (: do (tensor 66 256 64 bf16)) (: l (tensor 66 256 1 f32)) (: delta (tensor 66 256 1 f32))]
  (def p (weights q k l))
  [(cast bf16 (einsum "hts,htd->hsd" (changes p do v delta) q :out f32))
   (cast bf16 (einsum "hts,htd->hsd" (cast bf16 p) do :out f32))])

; The largest error of 64 elements.
(defn error-of [(: q memref<66x256x64xbf16>) (: k memref<66x256x64xbf16>) (: v memref<66x256x64xbf16>)
                (: do memref<66x256x64xbf16>) (: l memref<66x256x1xf32>) (: delta memref<66x256x1xf32>)
                (: y memref<66x256x64xbf16>)] -> f32
  (def errors (device-alloc memref<64xf32> []))
  (parallel [e 64]
    (def [h t j] [(% (* 7 e) 66) (% (+ 5 (* e 97)) 256) (% (* 11 e) 64)])
    (def total (fold [total (: 0.0 f32)] [s 0 (+ t 1)]
      (def [score dp] (fold [a (: 0.0 f32) b (: 0.0 f32)] [x 0 64]
        [(+ a (* (cast f32 (memref.load q h t x)) (cast f32 (memref.load k h s x))))
         (+ b (* (cast f32 (memref.load do h t x)) (cast f32 (memref.load v h s x))))]))
      (def p (exp (- (/ score 8.0) (memref.load l h t 0))))
      (+ total (* p (- dp (memref.load delta h t 0)) (cast f32 (memref.load k h s j))))))
    (memref.store (abs (- (* 0.125 total) (cast f32 (memref.load y h t j)))) errors e))
  (def host (memref.alloc {:result memref<64xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 64]
    (def error (memref.load host e))
    (if (<= error worst) worst error)))

(defn number [(: n index)] -> bf16 (cast bf16 (/ (- (cast f32 (% n 23)) 11.0) 11.0)))

; CHECK: of queries: ok
(defn main []
  (def q (device-alloc memref<66x256x64xbf16> []))
  (def k (device-alloc memref<66x256x64xbf16> []))
  (def v (device-alloc memref<66x256x64xbf16> []))
  (def do (device-alloc memref<66x256x64xbf16> []))
  (def y (device-alloc memref<66x256x64xbf16> []))
  (def l (device-alloc memref<66x256x1xf32> []))
  (def delta (device-alloc memref<66x256x1xf32> []))
  (parallel [h 66 t 256 x 64]
    (memref.store (number (+ (* 3 h) (* 7 t) (* 5 x))) q h t x)
    (memref.store (number (+ (* 5 h) (* 11 t) (* 3 x))) k h t x)
    (memref.store (number (+ (* 7 h) (* 3 t) (* 13 x))) v h t x)
    (memref.store (number (+ (* 2 h) (* 5 t) (* 7 x))) do h t x))
  (parallel [h 66 t 256]
    (memref.store (+ 5.0 (cast f32 (number (+ h (* 3 t))))) l h t 0)
    (memref.store (cast f32 (number (+ (* 2 h) t))) delta h t 0))
  (store (of-queries (load q) (load k) (load v) (load do) (load l) (load delta)) y)
  (def error (error-of q k v do l delta y))
  (println "of queries: %s, largest error %.1e" (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))

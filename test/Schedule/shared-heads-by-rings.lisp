; The gradients of keys and values that heads of queries share go by rings: one loop over the tokens of all heads that
; share them, which begins where a causal mask leaves some.
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
; RINGS: gpu.func @shared_0(
; RINGS-COUNT-4: tile.fill %
; RINGS: gpu.func @main_0(
(require-dialect memref)

(defn shared [(: q (tensor 132 2 192 80 bf16)) (: k (tensor 132 128 80 bf16)) (: v (tensor 132 128 80 bf16))
              (: do (tensor 132 2 192 80 bf16)) (: l (tensor 132 2 192 1 f32)) (: delta (tensor 132 2 192 1 f32))]
  (def s (/ (einsum "grtd,gsd->grts" q k :out f32) 8.0))
  (def p (exp (- (where (<= (iota i32 [128]) (iota i32 [192 1] :axis 0)) s -inf) l)))
  (def ds (cast bf16 (* 0.125 (* p (- (einsum "grtd,gsd->grts" do v :out f32) delta)))))
  [(cast bf16 (einsum "grts,grtd->gsd" ds q :out f32)) (cast bf16 (einsum "grts,grtd->gsd" (cast bf16 p) do :out f32))])

(defn number [(: n index)] -> f32 (/ (- (cast f32 (% n 23)) 11.0) 11.0))

; The largest error of 64 elements of both results.
(defn error-of [(: q memref<132x2x192x80xbf16>) (: k memref<132x128x80xbf16>) (: v memref<132x128x80xbf16>)
                (: do memref<132x2x192x80xbf16>) (: l memref<132x2x192x1xf32>) (: delta memref<132x2x192x1xf32>)
                (: dk memref<132x128x80xbf16>) (: dv memref<132x128x80xbf16>)] -> f32
  (def errors (device-alloc memref<64xf32> []))
  (parallel [e 64]
    (def [g s j] [(% (* 7 e) 132) (% (+ 5 (* e 97)) 128) (% (* 11 e) 80)])
    (def [keys values] (fold [keys (: 0.0 f32) values (: 0.0 f32)] [n (* 2 s) 384]
      (def [r t] [(% n 2) (/ n 2)])
      (def [score dp] (fold [a (: 0.0 f32) b (: 0.0 f32)] [x 0 80]
        [(+ a (* (cast f32 (memref.load q g r t x)) (cast f32 (memref.load k g s x))))
         (+ b (* (cast f32 (memref.load do g r t x)) (cast f32 (memref.load v g s x))))]))
      (def p (exp (- (/ score 8.0) (memref.load l g r t 0))))
      [(+ keys (* 0.125 p (- dp (memref.load delta g r t 0)) (cast f32 (memref.load q g r t j))))
       (+ values (* p (cast f32 (memref.load do g r t j))))]))
    (memref.store (max (abs (- keys (cast f32 (memref.load dk g s j)))) (abs (- values (cast f32 (memref.load dv g s j)))))
                  errors e))
  (def host (memref.alloc {:result memref<64xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 64] (max worst (memref.load host e))))

; CHECK: shared: ok
(defn main []
  (def q (device-alloc memref<132x2x192x80xbf16> []))
  (def do (device-alloc memref<132x2x192x80xbf16> []))
  (def k (device-alloc memref<132x128x80xbf16> []))
  (def v (device-alloc memref<132x128x80xbf16> []))
  (def dk (device-alloc memref<132x128x80xbf16> []))
  (def dv (device-alloc memref<132x128x80xbf16> []))
  (def l (device-alloc memref<132x2x192x1xf32> []))
  (def delta (device-alloc memref<132x2x192x1xf32> []))
  (parallel [g 132 t 128 x 80]
    (memref.store (cast bf16 (number (+ (* 5 g) (* 11 t) (* 3 x) (* t x)))) k g t x)
    (memref.store (cast bf16 (number (+ (* 7 g) (* 3 t) (* 13 x)))) v g t x))
  (parallel [g 132 r 2 t 192 x 80]
    (memref.store (cast bf16 (number (+ (* 3 g) (* 7 t) (* 5 x) (* 2 r)))) q g r t x)
    (memref.store (cast bf16 (number (+ (* 9 g) (* 5 t) (* 7 x) (* 4 r)))) do g r t x)
    (memref.store (+ 5.0 (number (+ t r))) l g r t 0)
    (memref.store (number (+ (* 3 t) g r)) delta g r t 0))
  (def [a b] (shared (load q) (load k) (load v) (load do) (load l) (load delta)))
  (store a dk)
  (store b dv)
  (def error (error-of q k v do l delta dk dv))
  (println "shared: %s, largest error %.1e" (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))

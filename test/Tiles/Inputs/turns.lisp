; Two products a step, by a ring for each factor, in which seed-mistakes.py seeds mistakes: two groups of four warps take
; turns; numbers are small and exact.
(require-dialect memref)

(deftile chain {:stages 2 :warps 8 :ring true}
    [(: q memref<?x?xbf16>) (: k memref<?x?xbf16>) (: v memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (def i (* 128 (program-id 0)))
  (def queries (load q [i 0] [128 128]))
  (def [sums p] (fold [sums (zeros f32 [128 128]) p (zeros bf16 [128 64])] [j 0 (memref.dim k 0) 64]
    (def s (dot queries (load k [j 0] [64 128]) :transpose-b true))
    (def so-far (dot p (load v [(- j 64) 0] [64 128]) sums))
    [(* 0.5 so-far) (cast bf16 (min 3.0 (max -2.0 s)))]))
  (store (cast bf16 (dot p (load v [(- (memref.dim k 0) 64) 0] [64 128]) sums)) c [i 0]))

(defn main []
  (def q (device-alloc memref<?x?xbf16> [200 128]))
  (def k (device-alloc memref<?x?xbf16> [320 128]))
  (def v (device-alloc memref<?x?xbf16> [320 128]))
  (def c (device-alloc memref<?x?xbf16> [200 128]))
  (parallel [i 200 j 128]
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 7 i) (* 3 j)) 5)) 2.0)) q i j))
  (parallel [i 320 j 128]
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 5 i) (* 2 j)) 7)) 3.0)) k i j)
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 3 i) (* 5 j)) 9)) 4.0)) v i j))
  (launch chain {:grid [2]} q k v c)
  (def sums (device-alloc memref<?xf32> [200]))
  (parallel [i 200]
    (memref.store (fold [x (: 0.0 f32)] [j 0 128]
      (+ x (* (cast f32 (% (* 3 (+ j 1)) 17)) (cast f32 (memref.load c i j))))) sums i))
  (def host (memref.alloc {:result memref<200xf32>}))
  (download! host sums)
  (for [i 0 200] (println "%g" (memref.load host i))))

; A product by a ring of three slots, in which seed-mistakes.py seeds mistakes: two groups of four warps, ragged edges, eight
; steps, and two results of 16 bits that are drained.
(require-dialect memref)

(deftile product {:const [bm bn] :stages 3 :warps 8 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>) (: d memref<?x?xf16>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def sums (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) 64]
    (dot (load a [i k] [bm 64]) (load b [j k] [bn 64]) acc :transpose-b true)))
  (store (cast bf16 sums) c [i j])
  (store (cast f16 (* 0.5 sums)) d [i j]))

(defn main []
  (def a (device-alloc memref<?x?xbf16> [150 488]))
  (def b (device-alloc memref<?x?xbf16> [136 488]))
  (def c (device-alloc memref<?x?xbf16> [150 136]))
  (def d (device-alloc memref<?x?xf16> [150 136]))
  (parallel [i 150 j 488]
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 7 i) (* 3 j)) 5)) 2.0)) a i j))
  (parallel [i 136 j 488]
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 5 i) (* 2 j)) 7)) 3.0)) b i j))
  (launch product {:grid [2 2] :const {:bm 128 :bn 128}} a b c d)
  (def sums (device-alloc memref<?x?xf32> [2 150]))
  (parallel [i 150]
    (def [x y] (fold [x (: 0.0 f32) y (: 0.0 f32)] [j 0 136]
      [(+ x (* (cast f32 (% (* 3 (+ j 1)) 17)) (cast f32 (memref.load c i j))))
       (+ y (* (cast f32 (% (* 5 (+ j 1)) 13)) (cast f32 (memref.load d i j))))]))
    (memref.store x sums 0 i)
    (memref.store y sums 1 i))
  (def host (memref.alloc {:result memref<2x150xf32>}))
  (download! host sums)
  (for [i 0 150]
    (println "%g %g" (memref.load host 0 i) (memref.load host 1 i))))

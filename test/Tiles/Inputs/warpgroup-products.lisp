; Products of four warps, small enough to simulate in a moment: one whose sums stay in flight from step to step, and one of
; scores whose weights multiply values a step late.
(require-dialect memref)

(deftile product {:const [bm bn bk] :stages 4 :warps 4}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
           (dot (load a [i k] [bm bk]) (load b [0 k] [bn bk]) acc :transpose-b true))
         c [i 0]))

(deftile weighted {:const [bm bn d] :stages 2 :warps 4}
    [(: q memref<?x?xbf16>) (: k memref<?x?xbf16>) (: v memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def queries (load q [i 0] [bm d]))
  (def [sums weights]
    (fold [sums (zeros f32 [bm d]) weights (zeros bf16 [bm bn])] [j 0 (memref.dim k 0) bn]
      (def s (dot queries (load k [j 0] [bn d]) :transpose-b true))
      (def late (dot weights (load v [(- j bn) 0] [bn d]) sums))
      [(* late 0.5) (cast bf16 (max s 0.0))]))
  (store (+ sums (cast f32 weights)) c [i 0]))

(defn value [(: seed index) (: i index) (: j index)] -> bf16
  (cast bf16 (/ (- (cast f32 (% (+ (* 73 i) (* 179 j) (* 31 i j) seed) 16)) 8.0) 8.0)))

(defn filled [(: seed index) (: rows index) (: columns index)] -> memref<?x?xbf16>
  (def m (memref.alloc {:result memref<?x?xbf16>} rows columns))
  (for [i 0 rows] (for [j 0 columns] (memref.store (value seed i j) m i j)))
  m)

(defn show [(: c memref<?x?xf32>)]
  (for [i 0 64] (for [j 0 16] (println "%.3f" (memref.load c i (* j 4))))))

(defn main []
  (def c (memref.alloc {:result memref<?x?xf32>} (: 64 index) (: 64 index)))
  (launch product {:grid [1] :const {:bm 64 :bn 64 :bk 64}} (filled 1 64 320) (filled 5 64 320) c)
  (show c)
  (launch weighted {:grid [1] :const {:bm 64 :bn 64 :d 64}} (filled 1 64 64) (filled 5 192 64) (filled 7 192 64) c)
  (show c))

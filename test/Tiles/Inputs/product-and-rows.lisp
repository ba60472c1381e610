; A product with a row reduction behind it, small enough to simulate in a moment: copies ahead, ldmatrix, matrix
; instructions, shuffles, and sums of two warps through shared memory.
(require-dialect memref)

(deftile product {:const [bm bn bk] :stages 2 :warps 4}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>) (: d memref<?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def sums (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
    (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc)))
  (store (/ sums (+ 1.0 (max (abs sums) :axis 1 :keep true))) c [i j])
  (store (sum sums :axis 0) d [j]))

(defn value [(: seed index) (: i index) (: j index)] -> bf16
  (cast bf16 (/ (- (cast f32 (% (+ (* 73 i) (* 179 j) (* 31 i j) seed) 256)) 128.0) 128.0)))

(defn main []
  (def a (memref.alloc {:result memref<?x?xbf16>} (: 32 index) (: 96 index)))
  (def b (memref.alloc {:result memref<?x?xbf16>} (: 96 index) (: 64 index)))
  (def c (memref.alloc {:result memref<?x?xf32>} (: 32 index) (: 64 index)))
  (def d (memref.alloc {:result memref<?xf32>} (: 64 index)))
  (for [k 0 96]
    (for [i 0 32] (memref.store (value 1 i k) a i k))
    (for [j 0 64] (memref.store (value 5 k j) b k j)))
  (launch product {:grid [1 2] :const {:bm 32 :bn 32 :bk 32}} a b c d)
  (for [i 0 32] (for [j 0 64] (println "%.4f" (memref.load c i j))))
  (for [j 0 64] (println "%.3f" (memref.load d j))))

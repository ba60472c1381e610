; Sums that follow each other, three of a few numbers and one of many, on memory that the host fills.
(defmesh [dp])
(require-dialect memref)
(defn filled [(: count index)] -> memref<?xf32>
  (def host (memref.alloc {:result memref<?xf32>} count))
  (for [i 0 count] (memref.store (cast f32 (+ (* 10 (rank dp)) i)) host i))
  (to-device host))
(defn shown [(: x memref<?xf32>) (: count index)]
  (def host (memref.alloc {:result memref<?xf32>} count))
  (download! host x)
  (println "%g %g" (cast f64 (memref.load host 0)) (cast f64 (memref.load host (- count 1)))))
(defn main []
  (def [x y z large] [(filled 4) (filled 300) (filled 7) (filled 1100000)])
  (for [step 0 4]
    (replayable
      (all-reduce x :over dp :by mean)
      (all-reduce large :over dp :by mean)
      (all-reduce y :over dp :by mean)
      (all-reduce z :over dp)))
  (shown x 4)
  (shown y 300)
  (shown z 7)
  (shown large 1100000))

; Parts on memory of a device, of sizes that the ranks divide and that they do not.
(defmesh [dp])
(require-dialect memref)
(defn filled [(: count index)] -> memref<?xf32>
  (def host (memref.alloc {:result memref<?xf32>} count))
  (for [i 0 count] (memref.store (cast f32 (+ (* 10 (rank dp)) i)) host i))
  (to-device host))
(defn shown [(: x memref<?xf32>)]
  (def count (memref.dim x 0))
  (def host (memref.alloc {:result memref<?xf32>} count))
  (download! host x)
  (println "%g %g %g" (cast f64 (memref.load host 0)) (cast f64 (memref.load host (- count 2)))
           (cast f64 (memref.load host (- count 1)))))
(defn add-parts [(: a (tensor n f32)) (: b (tensor m f32)) (: x inout) (: y inout)]
  (update x (reduce-scatter a :over dp))
  (update y (reduce-scatter b :over dp :pad true)))
(defn join-parts [(: x (tensor n f32)) (: y (tensor m f32)) (: a inout) (: b inout)]
  (update a (all-gather x :over dp))
  (update b (all-gather y :over dp :size 7)))
(defn main []
  (def [a b x y] [(filled 6) (filled 7) (filled (/ 6 (ranks dp))) (filled (/ (+ 6 (ranks dp)) (ranks dp)))])
  (for [step 0 4]
    (replayable
      (add-parts a b x y)
      (join-parts x y a b)))
  (shown a)
  (shown b))

; Collectives on memory that the host fills, as the kernels of a fake driver compute nothing.
(defmesh [dp])
(require-dialect memref)
(defn main []
  (def host (memref.alloc {:result "memref<4xf32>"}))
  (for [i 0 4]
    (memref.store (cast f32 (+ (* 10 (rank dp)) i)) host i))
  (def x (to-device host))
  (for [step 0 4]
    (replayable
      (all-reduce x :over dp :by mean)
      (all-reduce x :over dp)
      (from-rank x :over dp :rank (- (ranks dp) 1))))
  (download! host x)
  (println "%g %g" (cast f64 (memref.load host 0)) (cast f64 (memref.load host 3)))
  (device-free! x))

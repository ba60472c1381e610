; 2^32 threads along x: one more than AMD's driver counts.
(require-dialect memref)
(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (memref.store scale out (thread-id :x)))

(defn main []
  (def out (device-alloc memref<?xi32> [8]))
  (launch places {:grid [8388608] :block [512]} out (: 3 i32)))

; out[i] = scale * i, and whatever the test asks for.
(require-dialect memref)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (memref.store (* scale (cast i32 i)) out i))

(defkernel missing [(: out memref<?xi32>)]
  (memref.store (: 0 i32) out (thread-id :x)))

(defn main [(: argc i32) (: argv !llvm.ptr)]
  (def out (device-alloc memref<?xi32> [8]))
  (def host (memref.alloc {:result memref<?xi32>} (: 8 index)))
  (launch places {:grid [2] :block [4]} out (: 3 i32))
  (download! host out)
  (println "%d %d" (memref.load host 1) (memref.load host 7))
  (when (= argc 1)
    (launch missing {:grid [1] :block [8]} out))
  (when (= argc 2)
    (launch places {:grid [1] :block [2048]} out (: 1 i32)))
  (when (= argc 3)
    (def most (device-alloc memref<?xi32> [1000000000]))
    (device-free! most))
  (when (= argc 4) ; The second allocation makes the cache of freed memory go.
    (def before (device-alloc memref<?xi32> [200000000]))
    (device-free! before)
    (def after (device-alloc memref<?xi32> [250000000]))
    (device-free! after)
    (device-free! before))
  (memref.dealloc host)
  (device-free! out))

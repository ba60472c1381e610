; Four blocks in clusters of two; each thread says which block of its cluster it is in.
(require-dialect gpu memref)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def rank (gpu.cluster_block_id {:dimension "x"}))
  (memref.store (* scale (cast i32 (+ rank (* 100 (gpu.cluster_id {:dimension "x"}))))) out i))

(defn main [(: argc i32) (: argv !llvm.ptr)]
  (def out (device-alloc memref<?xi32> [16]))
  (def host (memref.alloc {:result memref<?xi32>} (: 16 index)))
  (def blocks (if {:result index} (= argc 0) (: 4 index) (: 3 index)))
  (launch places {:grid [blocks] :block [4] :cluster [2]} out (: 3 i32))
  (download! host out)
  (println "%d" (memref.load host 15))
  (memref.dealloc host)
  (device-free! out))

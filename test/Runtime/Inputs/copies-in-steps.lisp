; A step whose work is also copies and fills of the device's memory, and memory of its own. out[i] = i; ones are 1.
(require-dialect memref gpu)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (memref.store (* scale (cast i32 i)) out i))

(defn count-in [(: out memref<?xi32>)] (launch places {:grid [1] :block [4]} out (: 1 i32)))

(defn main []
  (def out (device-alloc memref<?xi32> [4]))
  (def ones (device-alloc memref<?xi32> [4]))
  (def host (memref.alloc {:result memref<?xi32>} (: 4 index)))
  (for [n 0 4]
    (replayable
      (def first (device-alloc memref<?xi32> [4]))
      (count-in first)
      (memref.copy first out)
      (device-free! first)
      (def second (device-alloc memref<?xi32> [4]))
      (count-in second)
      (gpu.memset ones (: 1 i32))
      (device-free! second))
    (download! host out)
    (print "%d " (memref.load host 3))
    (download! host ones)
    (print "%d " (memref.load host 3)))
  (device-free! out)
  (device-free! ones)
  (println ""))

; The same kernel on one device, the other, and the first again; each frees its own. An argument names another device.
(require-dialect gpu memref)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (memref.store (* scale (cast i32 i)) out i))

(defn show [(: out memref<?xi32>)]
  (def host (memref.alloc {:result memref<?xi32>} (: 8 index)))
  (download! host out)
  (println "%d %d" (memref.load host 1) (memref.load host 7))
  (memref.dealloc host))

(defn main [(: argc i32) (: argv !llvm.ptr)]
  (def first (device-alloc memref<?xi32> [8]))
  (launch places {:block [8]} first (: 3 i32))
  (gpu.set_default_device (if {:result i32} (= argc 0) (: 1 i32) (: 7 i32)))
  (def second (device-alloc memref<?xi32> [8]))
  (launch places {:block [8]} second (: 5 i32))
  (launch places {:block [8]} second (: 6 i32))
  (show second)
  (gpu.set_default_device (: 0 i32))
  (launch places {:block [8]} first (: 4 i32))
  (show first)
  (device-free! second)
  (device-free! first))

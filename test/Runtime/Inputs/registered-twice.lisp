; Memory of malloc that kernels of two devices write to.
(require-dialect gpu memref)
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn free (-> [!llvm.ptr] []))
(extern-fn mgpuMemHostRegister (-> [!llvm.ptr i64] []))
(extern-fn mgpuMemHostUnregister (-> [!llvm.ptr] []))

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (memref.store (* scale (cast i32 (thread-id :x))) out (thread-id :x)))

(defn main []
  (def memory (malloc 32))
  (mgpuMemHostRegister memory 32)
  (def out (ptr->memref memref<?xi32> memory [8]))
  (launch places {:block [8]} out (: 3 i32))
  (println "%d" (memref.load out 7))
  (gpu.set_default_device (: 1 i32))
  (launch places {:block [8]} out (: 5 i32))
  (println "%d" (memref.load out 7))
  (launch places {:block [8]} out (: 4 i32))
  (println "%d" (memref.load out 7))
  (mgpuMemHostUnregister memory)
  (free memory))

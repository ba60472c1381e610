; A kernel that follows a pointer, which stands in registered memory, into registered memory.
(require-dialect llvm memref)
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn mgpuMemHostRegister (-> [!llvm.ptr i64] []))

(defkernel follows [(: list !llvm.ptr)]
  (def next (llvm.load {:result !llvm.ptr} list))
  (llvm.store (: 7 i32) next))

(defn main []
  (def list (malloc 16))
  (def element (malloc 4))
  (mgpuMemHostRegister list 16)
  (mgpuMemHostRegister element 4)
  (llvm.store (llvm.mlir.zero) list)
  (llvm.store element (llvm.getelementptr {:result !llvm.ptr :elem_type i64} list 1))
  (launch follows {:block [1]} list))

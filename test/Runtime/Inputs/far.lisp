; A function that is long enough to be compiled when it is called, which is after the device was opened; the handle of its
; kernel was placed before.
(require-dialect memref)
(defkernel nothing [(: m memref<?xi32>)]
  (memref.store (: 1 i32) m 0))
(defmacro count-to [n]
  `(do ~@(map (fn [i] `(println "%ld" (* k (: ~i i64)))) (range n))))
(defn count-all [(: k i64) (: m memref<?xi32>)]
  (launch nothing {:grid [1] :block [1]} m)
  (count-to 200))
(defn main [(: count i64) (: words !llvm.ptr)]
  (def m (device-alloc memref<?xi32> [(cast index (+ count (: 4 i64)))]))
  (count-all (+ count (: 1 i64)) m))

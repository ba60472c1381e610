; A step that is done five times; an argument of its last kernel changes once. out[i] = scale * i. It needs memory of its
; own, of a kind that the host can read.
(require-dialect llvm memref)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (memref.store (* scale (cast i32 i)) out i))

(defn count-in [(: out memref<?xi32>)] (launch places {:grid [1] :block [4]} out (: 1 i32)))

(defn main []
  (def first (memref.alloc {:result memref<?xi32>} (: 4 index)))
  (memref.store (: 0 i32) first 0)
  (count-in first)
  (print "%d " (memref.load first 2))
  (def out (device-alloc memref<?xi32> [4]))
  (def host (memref.alloc {:result memref<?xi32>} (: 4 index)))
  (def none (ptr->memref memref<?xi32> (llvm.mlir.zero {:result !llvm.ptr}) [0]))
  (for [n 0 5]
    (replayable
      (memref.dealloc none) ; Does nothing, as without a step; the step is still captured.
      (def temporary (memref.alloc {:result memref<?xi32>} (: 4 index)))
      (count-in temporary)
      (memref.dealloc temporary)
      (launch places {:grid [1] :block [4]} out (if {:result i32} (= n 4) (: 10 i32) (: 1 i32))))
    (download! host out)
    (print "%d " (memref.load host 3)))
  ; What reads in the middle of a step gets what the step has done so far.
  (replayable
    (launch places {:grid [1] :block [4]} out (: 7 i32))
    (download! host out)
    (println "%d" (memref.load host 3)))
  (memref.dealloc first)
  (memref.dealloc host)
  (device-free! out))

; Reductions over 16-bit floats: lanes bring 1 2 3 4 1 2 3 4 ..., and no sum on the way to 80 needs more than bf16's 8 bits.
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=cpu %s | FileCheck %s
(require-dialect memref gpu)

(defmacro def-sums [name type]
  `(defkernel ~name [(: out memref<?xf32>)]
     (def mine (cast ~type (cast f32 (+ (% (thread-id :x) 4) 1))))
     (memref.store (cast f32 (warp-reduce :add mine)) out 0)
     (memref.store (cast f32 (block-reduce :max mine)) out 1)))
(def-sums half-sums f16)
(def-sums brain-sums bf16)

(defn show [(: out memref<?xf32>)]
  (def host (memref.alloc {:result memref<?xf32>} (: 2 index)))
  (download! host out)
  (println "%g %g" (memref.load host 0) (memref.load host 1)))

; CHECK: {{^80 4$}}
; CHECK-NEXT: {{^80 4$}}
(defn main []
  (def out (device-alloc memref<?xf32> [2]))
  (launch half-sums {:grid [1] :block [32]} out)
  (show out)
  (launch brain-sums {:grid [1] :block [32]} out)
  (show out))

; Says which of its templates was taken: each has the same kernel count in other steps.
(require-dialect nn memref arith)

(defkernel places [(: out memref<1x2xf32>) (: scale i32)]
  (memref.store (arith.bitcast {:result f32} (* scale (cast i32 (thread-id :x)))) out 0 (thread-id :x)))

(defmacro counting [target scale]
  `(deftemplate nn.add {:for [~target]} [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: out memref<?x?xf32>)]
     (launch places {:grid [1] :block [2]} (memref.cast {:result memref<1x2xf32>} out) (: ~scale i32))))
(counting gpu+sm_90a 90)
(counting gpu+sm_80 80)
(counting gpu+amd 942)

(deftemplate nn.add {:for [cpu]} [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: out memref<?x?xf32>)]
  (memref.store (arith.bitcast {:result f32} (: 1 i32)) out 0 1))

; Of the program's own memory each target has its own.
(defn main [(: argc i32) (: argv !llvm.ptr)] -> i32
  (def x (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 2 index)))
  (nn.add x x x)
  (println "%d" (arith.bitcast {:result i32} (memref.load x 0 1)))
  (memref.dealloc x)
  argc)

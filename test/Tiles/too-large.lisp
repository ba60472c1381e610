; A tile that the registers of a block cannot hold is an error on GPUs, before it becomes thousands of ops. The CPU cuts it.
; RUN: not lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx 2>&1 | FileCheck %s
; RUN: not lispier run --target=sim:sm_80 %s 2>&1 | FileCheck %s
; RUN: lispier check %s
; RUN: lispier run --target=cpu %s | FileCheck %s --check-prefix=CPU
(require-dialect memref)
(deftile rows {:const [m n] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  ; CHECK: :[[#@LINE+4]]:14: error[mlir]: the tiles that are in use here take 512 registers of each of 128 threads, which have 255 at most: use smaller tiles, more warps, or a fold over chunks
  ; CHECK: :[[#@LINE+1]]:10: note: the largest of them is this one, f32 [64 1024]
  (def v (load x [0 0] [m n] :else 0.0))
  ; What is only summed is never in registers as a whole.
  (def total (sum (load y [0 0] [64 1024])))
  (store (/ v (+ (sum v :axis 1 :keep true) total)) y [0 0]))
; CPU: 0.5
(defn main []
  (def a (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 2 index)))
  (memref.store 1.0 a 0 0)
  (memref.store 1.0 a 0 1)
  (def b (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 2 index)))
  (memref.store 0.0 b 0 0)
  (memref.store 0.0 b 0 1)
  (launch rows {:grid [1] :const {:m 64 :n 1024}} a b)
  (println "%g" (memref.load b 0 0)))

; Tokens define an order, as does the one queue of every target. Loops, branches and functions may carry them.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: %with-fake-drivers lispier run --target=cuda %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda %s -o - | FileCheck %s --check-prefix=PTX
; CHECK: 3 21
; PTX: .entry places
(require-dialect arith gpu memref scf)

(defkernel places [(: out memref<?xi32>) (: scale i32)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (memref.store (* scale (cast i32 i)) out i))

(defn fill [(: after "!gpu.async.token") (: out memref<?xi32>)] -> "!gpu.async.token"
  (gpu.memset {:result "!gpu.async.token"} after out (: 7 i32)))

(defn main []
  (def one (: 1 index))
  (def host (memref.alloc {:result memref<?xi32>} (: 8 index)))
  (def start (gpu.wait {:result "!gpu.async.token"}))
  (def [out made] (gpu.alloc {:result [memref<?xi32> "!gpu.async.token"]} [start] [(: 8 index)] []))
  (def filled (scf.for (: 0 index) (: 2 index) one made (region (block [i after] (scf.yield (fill after out))))))
  (def done (gpu.launch_func {:kernel "@kernels::@places" :result "!gpu.async.token"}
    [filled] (: 2 index) one one (: 4 index) one one [] [] [] [] [out (: 3 i32)] []))
  (def copied (gpu.memcpy {:result "!gpu.async.token"} done host out))
  (def freed (gpu.dealloc {:result "!gpu.async.token"} copied out))
  (gpu.wait freed)
  (println "%d %d" (memref.load host 1) (memref.load host 7))
  (memref.dealloc host))

; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier build --target=cuda %s -o %t.cuda && lispier build --target=rocm %s -o %t.rocm
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx.json --check-prefix=JSON
; RUN: lispier --emit=hsaco --target=rocm:gfx1100 %s -o %t.hsaco
(require-dialect memref complex)

; Complex numbers in shared memory, as parameters, and as what an access is checked for. Parameters are described as
; what they are.
; JSON: "name": "turn"
; JSON: "type": "pointer",
; JSON-NEXT: "bytes": 8
; JSON: "type": "complex<f32>",
; JSON-NEXT: "bytes": 8
; JSON: "type": "vector<4xf32>",
; JSON-NEXT: "bytes": 16
; JSON: "shared_bytes": 256
(defkernel turn [(: m memref<32xcomplex<f32>>) (: by complex<f32>) (: v vector<4xf32>)]
  (def t (thread-id :x))
  (def tile (shared complex<f32> [32]))
  (memref.store (complex.mul (memref.load m t) by) tile t)
  (barrier)
  (memref.store (memref.load tile (- 31 t)) m t))

; Conditions of all lanes and threads. As a signed number true is -1, the smallest.
(defkernel votes [(: out memref<4x64xi1>)]
  (def t (thread-id :x))
  (memref.store (warp-reduce :or (= t 40)) out 0 t)
  (memref.store (block-reduce :and (< t 63)) out 1 t)
  (memref.store (block-reduce :min (= t 3)) out 2 t)
  (memref.store (block-reduce :max (= t 3)) out 3 t))

; CHECK: -1 31
; CHECK-NEXT: 1 0 1 0
(defn main []
  (def m (device-alloc memref<32xcomplex<f32>> []))
  (for [i 0 32] (memref.store (complex.create {:result complex<f32>} (cast f32 i) (: 1.0 f32)) m i))
  (launch turn {:block [32]} m (complex.create {:result complex<f32>} (: 0.0 f32) (: 1.0 f32)) (: 0.0 vector<4xf32>))
  (def first (memref.load m 0))
  (println "%g %g" (cast f64 (complex.re first)) (cast f64 (complex.im first)))
  (def out (device-alloc memref<4x64xi1> []))
  (launch votes {:block [64]} out)
  (for [i 0 4] (print "%d " (memref.load out i 50))))

; Tile programs begin before their predecessors have ended: what no kernel writes is copied before the wait.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
(require-dialect memref)

; A product whose second factor comes from the host, and is only read: the first copies of its tiles.
; CHECK-LABEL: .entry product(
; CHECK: griddepcontrol.launch_dependents
; CHECK: cp.async
; CHECK: griddepcontrol.wait
; CHECK: cp.async
(deftile product {:warps 4 :stages 3} [(: a memref<256x256xbf16>) (: b memref<256x256xbf16>) (: c memref<256x256xf32>)]
  (def i (* 64 (program-id 0)))
  (def j (* 64 (program-id 1)))
  (store (fold [acc (zeros f32 [64 64])] [k 0 256 32]
           (dot (load a [i k] [64 32]) (load b [k j] [32 64]) acc))
         c [i j]))
; One that a kernel writes, by another name: none.
; CHECK-LABEL: .entry product_of_written(
; CHECK: griddepcontrol.launch_dependents
; CHECK-NOT: cp.async
; CHECK: griddepcontrol.wait
(deftile product-of-written {:warps 4 :stages 3}
  [(: a memref<256x256xbf16>) (: b memref<256x256xbf16>) (: c memref<256x256xf32>)]
  (def i (* 64 (program-id 0)))
  (def j (* 64 (program-id 1)))
  (store (fold [acc (zeros f32 [64 64])] [k 0 256 32]
           (dot (load a [i k] [64 32]) (load b [k j] [32 64]) acc))
         c [i j]))
(deftile change [(: m memref<256x256xbf16>)] (store (zeros bf16 [1 256]) m [(program-id 0) 0]))
(defn main []
  (def host (memref.alloc {:result memref<256x256xbf16>}))
  (def a (device-alloc memref<256x256xbf16> []))
  (def c (device-alloc memref<256x256xf32> []))
  (def constant (to-device host))
  (def written (to-device host))
  (launch product {:grid [4 4]} a constant c)
  (launch product-of-written {:grid [4 4]} a written c)
  (launch change {:grid [256]} (memref.subview written [0 0] [256 256] [1 1])))

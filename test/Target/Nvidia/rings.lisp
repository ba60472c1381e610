; A product by a ring in the PTX of sm_90a: maps are parameters, one lane of the ninth warp copies, and no barrier of the block
; or copy of a thread is in a step; results go through stmatrix and bulk copies.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s --check-prefix=OTHER
(require-dialect memref)

; CHECK-LABEL: .visible .entry product(
; CHECK: .param .align 64 .b8 product_param_{{[0-9]+}}[128]
; CHECK: .param .align 64 .b8 product_param_{{[0-9]+}}[128]
; CHECK: .param .align 64 .b8 product_param_{{[0-9]+}}[128]
; CHECK: .maxntid 288
; CHECK-COUNT-8: mbarrier.init.shared.b64
; CHECK: bar.sync 0
; CHECK-NOT: bar.sync 0
; CHECK-NOT: cp.async.cg
; CHECK: mbarrier.try_wait.parity.shared.b64
; CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
; CHECK: wgmma.commit_group.sync.aligned
; CHECK: wgmma.wait_group.sync.aligned 1
; CHECK-NOT: bar.sync 0
; CHECK: mbarrier.arrive.shared.b64
; CHECK: wgmma.wait_group.sync.aligned 0
; CHECK: cp.async.bulk.wait_group.read 1
; CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
; CHECK: fence.proxy.async.shared::cta
; CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
; CHECK: cp.async.bulk.commit_group
; CHECK: elect.sync
; CHECK: mbarrier.try_wait.parity.shared.b64
; CHECK: mbarrier.arrive.expect_tx.shared.b64
; CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
; CHECK: ret;
(deftile product {:stages 4 :warps 8 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (def i (* 128 (program-id 0)))
  (def j (* 256 (program-id 1)))
  (store (cast bf16 (fold [acc (zeros f32 [128 256])] [k 0 (memref.dim a 1) 64]
           (dot (load a [i k] [128 64]) (load b [j k] [256 64]) acc :transpose-b true)))
         c [i j]))

; Two stages, and rows of 64 bytes: as without `:ring`.
; OTHER-LABEL: .visible .entry other(
; OTHER-NOT: mbarrier
; OTHER: cp.async.cg.shared.global
; OTHER-NOT: mbarrier
; OTHER-LABEL: .visible .entry short(
; OTHER-NOT: mbarrier
; OTHER: cp.async.cg.shared.global
; OTHER-NOT: mbarrier
; OTHER: .visible .entry
(deftile other {:stages 2 :warps 4 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (store (fold [acc (zeros f32 [64 64])] [k 0 (memref.dim a 1) 64]
           (dot (load a [0 k] [64 64]) (load b [0 k] [64 64]) acc :transpose-b true))
         c [0 0]))
(deftile short {:stages 3 :warps 4 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (store (fold [acc (zeros f32 [64 64])] [k 0 (memref.dim a 1) 32]
           (dot (load a [0 k] [64 32]) (load b [0 k] [64 32]) acc :transpose-b true))
         c [0 0]))

(defn main []
  (def a (device-alloc memref<?x?xbf16> [256 256]))
  (def b (device-alloc memref<?x?xbf16> [512 256]))
  (def c (device-alloc memref<?x?xbf16> [256 512]))
  (def d (device-alloc memref<?x?xf32> [64 64]))
  (launch product {:grid [2 2]} a b c)
  (launch other {:grid [1]} a b d)
  (launch short {:grid [1]} a b d))

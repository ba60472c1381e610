; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.80.ptx
; RUN: FileCheck %s --input-file=%t.80.ptx --check-prefixes=MMA,BOTH
; RUN: FileCheck %s --input-file=%t.80.ptx --check-prefix=NONE
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.90.ptx
; RUN: FileCheck %s --input-file=%t.90.ptx --check-prefixes=WGMMA,BOTH
; RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=NONE
; RUN: lispier --emit=ptx --target=cuda:sm_75 %s -o %t.75.ptx
; RUN: FileCheck %s --input-file=%t.75.ptx --check-prefix=OLD

; What the kernels for many tokens are made of where there are tensor cores: copies past the registers into shared memory,
; products of matrices, and nothing on the stack of a thread. That the numbers are right is prefill.lisp's to check.
(require-dialect nn memref)

; NONE-NOT: .local
; NONE-NOT: attention_wgmma_bf16_64_1
; NONE-NOT: call
; OLD-NOT: mma
; OLD-DAG: .entry gemm(
; OLD-DAG: .entry attend_wide_bf16_32_32_64(

; Without caches also a kernel for many blocks.
; WGMMA-LABEL: .entry attention_wgmma_bf16_128_1(
; WGMMA-LABEL: .entry attention_wgmma_bf16_128_2(
(defn attend-many [(: q memref<?x?x128xbf16>) (: k memref<?x?x128xbf16>) (: v memref<?x?x128xbf16>)
                   (: out memref<?x?x128xbf16>)]
  (nn.attention [q] [k] [v] [] [] [] [] out))

; MMA-LABEL: .entry attention_mma_bf16_64_2(
; MMA-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
; MMA-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
; MMA-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
; WGMMA-LABEL: .entry attention_wgmma_bf16_64_4(
; WGMMA-DAG: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
; WGMMA-DAG: ex2.approx.ftz.f32
(defn attend [(: q memref<?x?x64xbf16>) (: k memref<?x?x64xbf16>) (: v memref<?x?x64xbf16>) (: keys memref<?x?x64xbf16>)
              (: values memref<?x?x64xbf16>) (: position memref<1xi32>) (: out memref<?x?x64xbf16>)]
  (nn.attention q k v keys values position out))

; MMA-LABEL: .entry matmul_mma_bf16_bf16_64x96(
; MMA-DAG: cp.async.cg.shared.global
; MMA-DAG: cp.async.wait_group 2
; MMA-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
; MMA-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
; MMA-DAG: ex2.approx.ftz.f32
; MMA-DAG: st.global.v2.b32
; WGMMA-LABEL: .entry matmul_wgmma_bf16_bf16_64x96(
; WGMMA-DAG: wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16
; WGMMA-LABEL: .entry matmul_wgmma_bf16_bf16_128x192(
; WGMMA-DAG: cp.async.cg.shared.global
; WGMMA-DAG: fence.proxy.async.shared::cta
; WGMMA-DAG: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16
; WGMMA-DAG: wgmma.wait_group.sync.aligned 1
; WGMMA-DAG: st.global.v2.b32
(defn layer [(: x memref<?x?xbf16>) (: w memref<?x?xbf16>) (: bias memref<?xbf16>) (: out memref<?x?xbf16>)]
  (nn.linear {:activation "gelu_tanh"} x w [bias] [] out))

; MMA-LABEL: .entry matmul_mma_f32_f32_64x96(
; MMA-DAG: ld.shared.v2.b32
; MMA-DAG: cvt.rn.bf16x2.f32
; MMA-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
; MMA-DAG: st.global.v4.b32
; The words of a product may be written again only when it has ended.
; WGMMA-LABEL: .entry matmul_wgmma_f32_f32_64x96(
; WGMMA-COUNT-4: wgmma.wait_group.sync.aligned 3
; WGMMA: wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16
; WGMMA: st.global.v4.b32
(defn exact [(: x memref<?x?xf32>) (: w memref<?x?xbf16>) (: stream memref<?x?xf32>)]
  (nn.linear x w [] [stream] stream))

; A normalised row of F32 is one factor of F16 where results have 16 bits.
; WGMMA-LABEL: .entry norm_and_round_f32_bf16(
; WGMMA-DAG: griddepcontrol.wait
; WGMMA-DAG: ld.global.v4.b32
; WGMMA-DAG: cvt.rn.f16x2.f32
; WGMMA-DAG: st.global.v4.b32
; WGMMA-LABEL: .entry matmul_wgmma_f16_bf16_128x192(
; WGMMA-DAG: wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16
(defn normed [(: x memref<?x?xf32>) (: g memref<?xbf16>) (: h memref<?xbf16>) (: factors memref<?xbf16>)
              (: w memref<?x?xbf16>) (: out memref<?x?xbf16>)]
  (nn.norm_product {:constant_weights true} x g h (: 1e-5 f32) factors w [] [] out))

; What is not aligned goes to a tile program.
; BOTH-LABEL: .entry attend_wide_bf16_64_16_64(
; BOTH: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

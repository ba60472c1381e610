; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --implicit-check-not=gemv

; An op with the attribute several_rows gets no kernel for one row.
(require-dialect nn memref)

; CHECK: .entry matmul_wgmma_bf16_bf16_64x96(
(defn several [(: x memref<?x?xbf16>) (: w memref<?x?xbf16>) (: out memref<?x?xbf16>)]
  (nn.linear {:several_rows true} x w [] [] out))

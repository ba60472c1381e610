; A block's product of a tile program is multiplied by AMX where the processor has it. Its sizes are of whole tiles, so
; that registers read and write the sums.
; RUN: lispier --emit=asm --cpu=sapphirerapids %s -o - | FileCheck %s
; REQUIRES: x86
; CHECK-NOT: tilezero
; CHECK-COUNT-8: tileloadd
; CHECK-COUNT-4: tdpbf16ps
; CHECK-COUNT-4: tilestored
(require-dialect memref)
(deftile product {:const [bm bn bk]} [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
    (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc)) c [i j]))

(defn multiply [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch product {:grid [(/ (memref.dim c 0) 64) (/ (memref.dim c 1) 64)]
                   :const {:bm 64 :bn 64 :bk 64}} a b c))

; What products of four warps leave in flight, and which factors they read from registers, in the PTX of sm_90a.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s > %t.ptx
; RUN: FileCheck %s --check-prefix=CARRIED < %t.ptx
; RUN: FileCheck %s --check-prefix=SCORES < %t.ptx
; RUN: FileCheck %s --check-prefix=SPARE < %t.ptx
(require-dialect memref math)

; With a slot to spare, the product of a step ends in the next one: the loop waits for the one before only, and the copies of
; two more steps are in flight. What the last step leaves is waited for behind the loop, and not if there was none.
; CARRIED-LABEL: .visible .entry carried_128_128_64(
; CARRIED: wgmma.fence.sync.aligned
; CARRIED-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16
; CARRIED: wgmma.commit_group.sync.aligned
; CARRIED: wgmma.wait_group.sync.aligned 1
; CARRIED: cp.async.wait_group 1
; CARRIED: wgmma.wait_group.sync.aligned 0
; CARRIED: st.global.v2.b32
(deftile carried {:const [bm bn bk] :stages 4 :warps 8}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
           (dot (load a [i k] [bm bk]) (load b [j k] [bn bk]) acc :transpose-b true))
         c [i j]))

; With three stages there is none: each step waits for its own product. Of sums in 16 bits four lanes have 16 bytes of a row,
; half of what memory writes at once, so that they are written from rows of shared memory.
; SPARE-LABEL: .visible .entry waiting_128_128_64(
; SPARE-NOT: wgmma.wait_group.sync.aligned 1
; SPARE: wgmma.wait_group.sync.aligned 0
; SPARE-NOT: wgmma.wait_group.sync.aligned 1
; SPARE: st.global.v4.b32
; SPARE-NOT: wgmma.wait_group.sync.aligned 1
; SPARE: .visible .entry
(deftile waiting {:const [bm bn bk] :stages 3 :warps 8}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (cast bf16 (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
           (dot (load a [i k] [bm bk]) (load b [j k] [bn bk]) acc :transpose-b true)))
         c [i j]))

; The scores of a step and the product by the last step's weights, both with a factor in registers: the weights are where a
; product left them. The scores are waited for first, the other product where it is scaled, after the maximum.
; SCORES-LABEL: .visible .entry weighted_64_64_64(
; SCORES: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 1, 1, 1, 0;
; SCORES: wgmma.commit_group.sync.aligned
; SCORES: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 1, 1, 1, 1;
; SCORES: wgmma.commit_group.sync.aligned
; SCORES: wgmma.wait_group.sync.aligned 1
; SCORES: shfl.sync
; SCORES: wgmma.wait_group.sync.aligned 0
; SCORES-NOT: mma.sync
(deftile weighted {:const [bm bn d] :stages 2 :warps 4}
    [(: q memref<?x?xbf16>) (: k memref<?x?xbf16>) (: v memref<?x?xbf16>) (: o memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def queries (load q [i 0] [bm d]))
  (def [sums weights]
    (fold [sums (zeros f32 [bm d]) weights (zeros bf16 [bm bn])] [j 0 (memref.dim k 0) bn]
      (def s (dot queries (load k [j 0] [bn d]) :transpose-b true))
      (def late (dot weights (load v [(- j bn) 0] [bn d]) sums))
      (def scale (/ 1.0 (max s :axis 1 :keep true)))
      [(* late scale) (cast bf16 (* s scale))]))
  (store (+ sums (cast f32 weights)) o [i 0]))

(defn launches [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: v memref<?x?xbf16>) (: c memref<?x?xf32>) (: d memref<?x?xbf16>)]
  (launch carried {:grid [8 8] :const {:bm 128 :bn 128 :bk 64}} a b c)
  (launch waiting {:grid [8 8] :const {:bm 128 :bn 128 :bk 64}} a b d)
  (launch weighted {:grid [8] :const {:bm 64 :bn 64 :d 64}} a b v c))

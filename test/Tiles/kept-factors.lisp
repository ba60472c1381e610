; ptxas before 13.3 takes the registers of a factor that all steps of a loop read for free behind the product where steps
; branch between products, as they do for the masked read of `logs` here. Each step reads a copy that is not the same for
; what ptxas knows; not where steps do not branch.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
; CHECK-LABEL: .entry masked(
; CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{.*}}}
; CHECK: mov.u32 [[CLOCK:%r[0-9]+]], %clock_hi; shr.u32 [[CLOCK]], [[CLOCK]], 31;
; CHECK-COUNT-4: xor.b32 {{.*}}[[CLOCK]]
; CHECK: wgmma.mma_async
; CHECK-LABEL: .entry whole(
; CHECK-NOT: clock_hi
; CHECK: ret
(require-dialect memref math)

(deftile masked {:warps 4 :stages 2}
  [(: q memref<?x64xbf16>) (: k memref<?x64xbf16>) (: v memref<?x64xbf16>) (: logs memref<?xf32>) (: o memref<?x64xf32>)]
  (def i (* 64 (program-id 0)))
  (def queries (load q [i 0] [64 64]))
  (store (fold [sums (zeros f32 [64 64])] [j 0 (memref.dim k 0) 64]
           (def p (exp (- (dot queries (load k [j 0] [64 64]) :transpose-b true) (load logs [j] [64]))))
           (dot (cast bf16 p) (load v [j 0] [64 64]) sums))
         o [i 0]))

(deftile whole {:warps 4 :stages 2}
  [(: q memref<?x64xbf16>) (: k memref<?x64xbf16>) (: v memref<?x64xbf16>) (: o memref<?x64xf32>)]
  (def i (* 64 (program-id 0)))
  (def queries (load q [i 0] [64 64]))
  (store (fold [sums (zeros f32 [64 64])] [j 0 (memref.dim k 0) 64]
           (def p (exp (dot queries (load k [j 0] [64 64]) :transpose-b true)))
           (dot (cast bf16 p) (load v [j 0] [64 64]) sums))
         o [i 0]))

(defn launch-both [(: q memref<?x64xbf16>) (: k memref<?x64xbf16>) (: v memref<?x64xbf16>) (: logs memref<?xf32>)
                   (: o memref<?x64xf32>)]
  (def blocks (/ (+ (memref.dim q 0) 63) 64))
  (launch masked {:grid [blocks]} q k v logs o)
  (launch whole {:grid [blocks]} q k v o))

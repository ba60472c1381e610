; A product may end in the next step of a loop, also of a weight's gradient, whose rows are columns in memory, where the
; instruction reads them. One that reads a factor from registers may not: that step overwrites them.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=SUM
; CHECK-LABEL: .entry squares_128_128_64(
; CHECK: ldmatrix.sync.aligned.m8n8.x4
; CHECK-NOT: wgmma.wait_group.sync.aligned 1
; CHECK: ret
; CHECK-LABEL: .entry inputs_0(
; CHECK: wgmma.mma_async{{.*}}, 1, 1, 1, 0, 0;
; CHECK: wgmma.wait_group.sync.aligned 1
; CHECK-LABEL: .entry weights_0(
; CHECK-NOT: ldmatrix
; CHECK: wgmma.mma_async{{.*}}, 1, 1, 1, 1, 1;
; CHECK-NOT: ldmatrix
; CHECK: wgmma.wait_group.sync.aligned 1
(require-dialect memref)
(defn inputs [(: x (tensor 4096 2048 bf16)) (: w (tensor 4096 2048 bf16))] (cast bf16 (einsum "nk,ck->nc" x w :out f32)))
(defn weights [(: g (tensor 2048 4096 bf16)) (: x (tensor 2048 4096 bf16))] (cast bf16 (einsum "nc,nk->ck" g x :out f32)))
(deftile squares {:const [bm bn bk] :stages 4 :warps 8}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def [i j] [(* bm (program-id 0)) (* bn (program-id 1))])
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
           (def rows (load a [i k] [bm bk]))
           (dot (* rows rows) (load b [j k] [bn bk]) acc :transpose-b true))
         c [i j]))
(defn launches [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch squares {:grid [8 8] :const {:bm 128 :bn 128 :bk 64}} a b c))

; SUM: 111955 -77.07
(defn short [(: g (tensor 200 256 bf16)) (: x (tensor 200 384 bf16))] (cast bf16 (einsum "nc,nk->ck" g x :out f32)))
(defmacro noise [salt & sizes]
  `(cast bf16 (reshape (- (/ (cast f32 (% (+ ~salt (* 7919 (iota i64 [(* ~@sizes)]))) 10007)) 10007.0) 0.5)
                       [~@sizes])))
(defn main []
  (def w (cast f32 (short (noise 1 200 256) (noise 2 200 384))))
  (println "%.0f %.2f" (sum (abs w)) (sum (* w (cast f32 (noise 3 256 384))))))

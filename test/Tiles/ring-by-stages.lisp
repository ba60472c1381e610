; A program that says nothing of rings has one where its products are faster by it: of tiles that are large enough, with three
; stages or more and eight warps; with `:ring false` it has none.
; RUN: lispier --emit=loops --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=cuda:sm_80 %s | FileCheck %s --check-prefix=OLDER
; RUN: lispier run --target=cpu %s > %t.expected
; RUN: lispier run --target=sim:sm_90a %s | diff %t.expected -
; OLDER-NOT: tile.fill
; CHECK: gpu.func @large(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @small(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @large_without(
; CHECK-NOT: tile.fill
; CHECK: gpu.func @two(
; CHECK-NOT: tile.fill
(require-dialect memref)
(defmacro product [name options rows columns]
  `(deftile ~name ~options [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xbf16>)]
     (def i (* ~rows (program-id 0)))
     (def j (* ~columns (program-id 1)))
     (def y (+ (load bias [j] [~columns])
               (fold [acc (zeros f32 [~rows ~columns])] [k 0 (memref.dim a 1) 64]
                 (dot (load a [i k] [~rows 64]) (load b [j k] [~columns 64]) acc :transpose-b true))))
     (def z (max y 0.0))
     (store (cast bf16 (* z z)) c [i j])))
(product large {:stages 4 :warps 8} 128 192)
(product small {:stages 4 :warps 8} 128 128)
(product large-without {:stages 4 :warps 8 :ring false} 128 192)
(product two {:stages 2 :warps 8} 128 192)

(defn show [(: c memref<?x?xbf16>)]
  (def n (memref.dim c 1))
  (def sums (device-alloc memref<?xf32> [n]))
  (parallel [j n]
    (memref.store (fold [x (: 0.0 f32)] [i 0 (memref.dim c 0)] (+ x (* (cast f32 (% i 5)) (cast f32 (memref.load c i j))))) sums j))
  (def host (memref.alloc {:result memref<?xf32>} n))
  (download! host sums)
  (for [j 0 n] (println "%g" (memref.load host j))))
(defn main []
  (def a (device-alloc memref<?x?xbf16> [200 136]))
  (def b (device-alloc memref<?x?xbf16> [200 136]))
  (def bias (device-alloc memref<?xf32> [200]))
  (def c (device-alloc memref<?x?xbf16> [200 200]))
  (parallel [i 200 k 136]
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 7 i) (* 3 k)) 5)) 2.0)) a i k)
    (memref.store (cast bf16 (- (cast f32 (% (+ (* 5 i) (* 2 k)) 7)) 3.0)) b i k))
  (parallel [j 200] (memref.store (cast f32 (% j 3)) bias j))
  (launch large {:grid [2 2]} a b bias c)
  (show c)
  (launch small {:grid [2 2]} a b bias c)
  (launch large-without {:grid [2 2]} a b bias c)
  (launch two {:grid [2 2]} a b bias c)
  (show c))

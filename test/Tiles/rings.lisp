; More tiles than blocks, each of which computes one after the other, with fills that are counted on: what each row of the
; results adds up to, weighted, is what loops of one thread compute.
; RUN: lispier run --target=cpu %s > %t.expected
; RUN: lispier run --target=sim:sm_90a %s | diff %t.expected -
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck %s
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @finished(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @"by-rows"(
; CHECK-COUNT-2: tile.fill %
; CHECK: gpu.func @"by-columns"(
; CHECK-COUNT-2: tile.fill %
(require-dialect memref)
(deftile product {:stages 3 :warps 4 :ring true}
    [(: a memref<?x?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xbf16>) (: d memref<?x?xf32>)]
  (def i (* 64 (program-id 0)))
  (def j (* 64 (program-id 1)))
  (def sums (fold [acc (zeros f32 [64 64])] [k 0 (memref.dim b 1) 64]
    (dot (load a [1 i k] [64 64]) (load b [j k] [64 64]) acc :transpose-b true)))
  (def shifted (+ sums (load bias [j] [64])))
  (store shifted d [i j])
  (store (cast bf16 (max shifted 0.0)) c [i j]))
; Two results, one in place of what is added to it, in an odd number of drains a tile.
(deftile finished {:stages 3 :warps 8 :ring true}
    [(: a memref<?x?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: r memref<?x?xbf16>) (: d memref<?x?xf32>)]
  (def i (* 128 (program-id 0)))
  (def j (* 192 (program-id 1)))
  (def x (+ (load bias [j] [192]) (fold [acc (zeros f32 [128 192])] [k 0 (memref.dim b 1) 64]
    (dot (load a [1 i k] [128 64]) (load b [j k] [192 64]) acc :transpose-b true))))
  (store (* 0.5 x) d [i j])
  (store (cast bf16 (+ (cast f32 (load r [i j] [128 192])) (* x (max x 1.0)))) r [i j]))
; Of a gradient: the second factor by rows of the summed dimension, and both.
(deftile by-rows {:stages 4 :warps 8 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (def i (* 128 (program-id 0)))
  (def j (* 128 (program-id 1)))
  (store (cast bf16 (fold [acc (zeros f32 [128 128])] [k 0 (memref.dim a 1) 64]
           (dot (load a [i k] [128 64]) (load b [k j] [64 128]) acc)))
         c [i j]))
(deftile by-columns {:stages 3 :warps 8 :ring true}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* 128 (program-id 0)))
  (def j (* 192 (program-id 1)))
  (store (fold [acc (zeros f32 [128 192])] [k 0 (memref.dim a 0) 64]
           (dot (transpose (load a [k i] [64 128])) (load b [k j] [64 192]) acc))
         c [i j]))

(defn show [(: c memref<?x?xbf16>) (: d memref<?x?xf32>)]
  (def rows (memref.dim c 0))
  (def sums (device-alloc memref<?xf32> [rows]))
  (parallel [i rows]
    (memref.store (fold [x (: 0.0 f32)] [j 0 (memref.dim c 1)]
      (+ x (* (cast f32 (% (* 3 (+ j 1)) 17)) (+ (cast f32 (memref.load c i j)) (memref.load d i j))))) sums i))
  (def host (memref.alloc {:result memref<?xf32>} rows))
  (download! host sums)
  (for [i 0 rows] (println "%g" (memref.load host i))))

(defn main []
  (def a (device-alloc memref<?x?x?xbf16> [2 968 72]))
  (def b (device-alloc memref<?x?xbf16> [584 72]))
  (def bias (device-alloc memref<?xf32> [584]))
  (def c (device-alloc memref<?x?xbf16> [968 584]))
  (def d (device-alloc memref<?x?xf32> [968 584]))
  (parallel [e 2 i 968 j 72] (memref.store (cast bf16 (- (cast f32 (% (+ e (* 7 i) (* 3 j)) 5)) 2.0)) a e i j))
  (parallel [i 584 j 72] (memref.store (cast bf16 (- (cast f32 (% (+ (* 5 i) (* 2 j)) 7)) 3.0)) b i j))
  (parallel [j 584] (memref.store (cast f32 (% j 3)) bias j))
  (launch product {:grid [16 10]} a b bias c d)
  (show c d)
  (launch finished {:grid [8 4]} a b bias c d)
  (show c d)
  (def x (device-alloc memref<?x?xbf16> [200 328]))
  (def y (device-alloc memref<?x?xbf16> [328 136]))
  (def z (device-alloc memref<?x?xbf16> [200 136]))
  (def w (device-alloc memref<?x?xbf16> [328 200]))
  (def v (device-alloc memref<?x?xf32> [200 136]))
  (parallel [i 200 j 328]
    (def n (cast bf16 (- (cast f32 (% (+ (* 7 i) (* 3 j)) 5)) 2.0)))
    (memref.store n x i j)
    (memref.store n w j i))
  (parallel [i 328 j 136] (memref.store (cast bf16 (- (cast f32 (% (+ (* 5 i) (* 2 j)) 7)) 3.0)) y i j))
  (launch by-rows {:grid [2 2]} x y z)
  (launch by-columns {:grid [2 1]} w y v)
  (show z v))

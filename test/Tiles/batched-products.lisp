; Products of batches in one block: by fused multiply-adds and by matrix instructions, with a batch that the warps share
; and one that each of them makes whole, pipelined and not, and one product after the other.
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_80 %s | FileCheck %s --check-prefix=SM80
(require-dialect memref)

(defn filled [(: b index) (: m index) (: n index) (: seed index)] -> memref<?x?x?xf32>
  (def x (memref.alloc {:result memref<?x?x?xf32>} b m n))
  (for [l 0 b] (for [i 0 m] (for [j 0 n]
    (memref.store (- (cast f32 (% (+ (* seed l) (* 3 i) (* 5 j) (* i j)) 7)) 3.0) x l i j))))
  x)

; SM80-LABEL: gpu.func @"by-elements"
; SM80: math.fma
(deftile by-elements {:warps 4} [(: a memref<?x?x?xf32>) (: b memref<?x?x?xf32>) (: c memref<?x?x?xf32>)]
  (store (dot (load a [0 0 0] [3 16 16]) (load b [0 0 0] [3 16 16]) :transpose-b true) c [0 0 0]))

; SM80-LABEL: gpu.func @"by-instructions"
; SM80: nvvm.mma.sync
(deftile by-instructions {:warps 4 :stages 2} [(: a memref<?x?x?xf32>) (: b memref<?x?x?xf32>) (: c memref<?x?x?xf32>)]
  (store (fold [acc (zeros f32 [2 32 32])] [k 0 (memref.dim a 2) 16]
           (dot (cast bf16 (load a [0 0 k] [2 32 16])) (cast bf16 (load b [0 0 k] [2 32 16])) acc :transpose-b true))
         c [0 0 0]))

; (a b^T) b, whose sums are the next product's factor.
(deftile in-chain {:warps 2} [(: a memref<?x?x?xf32>) (: b memref<?x?x?xf32>) (: c memref<?x?x?xf32>)]
  (def y (cast f16 (load b [0 0 0] [4 16 16])))
  (store (dot (cast f16 (dot (cast f16 (load a [0 0 0] [4 16 16])) y :transpose-b true)) y) c [0 0 0]))

; Elements of c that differ from sums of the products of a and b, which is transposed.
(defn wrong [(: a memref<?x?x?xf32>) (: b memref<?x?x?xf32>) (: c memref<?x?x?xf32>)] -> index
  (fold [w (: 0 index)] [l 0 (memref.dim c 0)] (fold [w w] [i 0 (memref.dim c 1)] (fold [w w] [j 0 (memref.dim c 2)]
    (def s (fold [s (: 0.0 f32)] [k 0 (memref.dim a 2)] (+ s (* (memref.load a l i k) (memref.load b l j k)))))
    (if (= s (memref.load c l i j)) w (+ w 1))))))

; CHECK: wrong: 0 0 0
(defn main []
  (def a3 (filled 3 16 16 1))
  (def b3 (filled 3 16 16 2))
  (def c3 (filled 3 16 16 0))
  (launch by-elements {:grid [1]} a3 b3 c3)
  (def a2 (filled 2 31 40 1))
  (def b2 (filled 2 29 40 2))
  (def c2 (filled 2 31 29 0))
  (launch by-instructions {:grid [1]} a2 b2 c2)
  (def a4 (filled 4 16 16 1))
  (def b4 (filled 4 16 16 2))
  (def c4 (filled 4 16 16 0))
  (launch in-chain {:grid [1]} a4 b4 c4)
  (def s4 (filled 4 16 16 0))
  (def t4 (filled 4 16 16 0))
  (for [l 0 4] (for [i 0 16] (for [j 0 16]
    (memref.store (memref.load b4 l j i) t4 l i j)
    (memref.store (fold [s (: 0.0 f32)] [k 0 16] (+ s (* (memref.load a4 l i k) (memref.load b4 l j k)))) s4 l i j))))
  (println "wrong: %ld %ld %ld" (wrong a3 b3 c3) (wrong a2 b2 c2) (wrong s4 t4 c4)))

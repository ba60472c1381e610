; Two more products: a batch of them, and one whose summed dimension is split over the grid, for when it is all there
; is (product-tiles.lisp).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref linalg)
(require ["./check.lisp" :as check] ["./product-tiles.lisp" :as product-tiles])

; c[b] = a[b] b[b]: the batch is a dimension of the grid.
(deftile batched {:const [bm bn bk] :stages 2}
  [(: a memref<?x?x?xbf16>) (: b memref<?x?x?xbf16>) (: c memref<?x?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def n (program-id 2))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 2) bk]
           (dot (load a [n i k] [bm bk]) (load b [n k j] [bk bn]) acc))
         c [n i j]))

(defn batches [(: a memref<?x?x?xbf16>) (: b memref<?x?x?xbf16>) (: c memref<?x?x?xf32>)]
  (launch batched
    {:grid [(/ (+ (memref.dim c 1) 31) 32) (/ (+ (memref.dim c 2) 31) 32) (memref.dim c 0)]
     :const {:bm 32 :bn 32 :bk 16}}
    a b c))

(defn splits [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch product-tiles/split-k
    {:grid [(/ (+ (memref.dim c 0) 31) 32) (/ (+ (memref.dim c 1) 31) 32) 4] :const {:bm 32 :bn 32 :bk 16}}
    a b c))

(defn reference [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (for [i 0 (memref.dim c 0)] (for [j 0 (memref.dim c 1)]
    (memref.store (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)]
                    (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b k j)))))
                  c i j))))

; CHECK: batched: ok
; CHECK: split k: ok
(defn main []
  (def m (: 40 index))
  (def n (: 50 index))
  (def k (: 300 index))
  (def a3 (memref.alloc {:result memref<?x?x?xbf16>} (: 2 index) m k))
  (def b3 (memref.alloc {:result memref<?x?x?xbf16>} (: 2 index) k n))
  (def c3 (memref.alloc {:result memref<?x?x?xf32>} (: 2 index) m n))
  (def c (check/matrix m n))
  (def d (check/matrix m n))
  (for [x 0 2]
    (for [i 0 m] (for [l 0 k] (memref.store (cast bf16 (check/value x i l)) a3 x i l)))
    (for [l 0 k] (for [j 0 n] (memref.store (cast bf16 (check/value (+ x 5) l j)) b3 x l j))))
  (batches a3 b3 c3)
  (def worst (fold [worst (: 0.0 f32)] [x 0 2]
    (reference (check/rounded (check/filled x m k)) (check/rounded (check/filled (+ x 5) k n)) d)
    (for [i 0 m] (for [j 0 n] (memref.store (memref.load c3 x i j) c i j)))
    (max worst (check/largest-difference c d))))
  ; The order of 300 sums of products below 1 differs: some times 2^-24 of at most 300.
  (check/report (cstring "batched") worst 1e-4)
  (def a (check/rounded (check/filled 1 m k)))
  (def b (check/rounded (check/filled 2 k n)))
  (linalg.fill (: 0.0 f32) c)
  (splits a b c)
  (reference a b d)
  (check/report (cstring "split k") (check/largest-difference c d) 1e-4))

; Products of matrices whose sizes fill no tile, against the sum written out.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --cpu=x86-64-v3 %s | FileCheck %s
; RUN: env LISPIER_THREADS=2 lispier run %s | FileCheck %s
; REQUIRES: avx2
; Small integers: every product and sum is exact, whatever the order.
; CHECK: 13 x 37 x 29: 0
; CHECK: 8 x 32 x 5: 0
; CHECK: 1 x 1 x 1: 0
; CHECK: 9 x 33 x 2: 0
; CHECK: 64 x 3 x 70: 0
(require-dialect memref linalg arith)
(defn fill [(: m "memref<?x?xf32>") (: seed i64)]
  (for [i 0 (memref.dim m 0)]
    (for [j 0 (memref.dim m 1)]
      (memref.store (cast f32 (- (% (+ (* (cast i64 i) (: 7 i64)) (* (cast i64 j) (: 3 i64)) seed) (: 11 i64)) (: 5 i64))) m i j))))

(defn compare [(: M index) (: N index) (: K index)]
  (def a (memref.alloc {:result memref<?x?xf32>} M K))
  (def b (memref.alloc {:result memref<?x?xf32>} K N))
  (def c (memref.alloc {:result memref<?x?xf32>} M N))
  (fill a (: 1 i64))
  (fill b (: 2 i64))
  (fill c (: 3 i64))
  (def d (memref.alloc {:result memref<?x?xf32>} M N))
  (memref.copy c d)
  (linalg.matmul {:ins 2 :outs 1} a b c)
  (def wrong
    (fold [wrong (: 0 i64)] [i 0 M]
      (fold [wrong wrong] [j 0 N]
        (def sum (fold [s (memref.load d i j)] [k 0 K] (+ s (* (memref.load a i k) (memref.load b k j)))))
        (if (= sum (memref.load c i j)) wrong (+ wrong (: 1 i64))))))
  (println "%ld x %ld x %ld: %ld" (cast i64 M) (cast i64 N) (cast i64 K) wrong)
  (memref.dealloc a)
  (memref.dealloc b)
  (memref.dealloc c)
  (memref.dealloc d))

(defn main []
  (compare (: 13 index) (: 37 index) (: 29 index))
  (compare (: 8 index) (: 32 index) (: 5 index))
  (compare (: 1 index) (: 1 index) (: 1 index))
  (compare (: 9 index) (: 33 index) (: 2 index))
  (compare (: 64 index) (: 3 index) (: 70 index)))

; A matrix product by linalg, which becomes a tiled kernel, compared with the same product on the host.
;
;   lispier run --target=cuda examples/kernels/matmul.lisp
;
; The values are small integers, so that sums are exact in any order.
; RUN: lispier run %s | FileCheck %s
(require-dialect linalg memref)

(defn product [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)]
  (linalg.fill (: 0.0 f32) c)
  (linalg.matmul a b c))

(defn value [(: row index) (: column index)] -> f32
  (cast f32 (- (cast i32 (% (+ (* 7 row) (* 3 column)) 11)) 5)))

; CHECK: 0 wrong of 17000
(defn main []
  (def M (: 100 index))
  (def N (: 170 index))
  (def K (: 130 index))
  (def a (memref.alloc {:result memref<?x?xf32>} M K))
  (def b (memref.alloc {:result memref<?x?xf32>} K N))
  (def c (memref.alloc {:result memref<?x?xf32>} M N))
  (for [i 0 M] (for [k 0 K] (memref.store (value i k) a i k)))
  (for [k 0 K] (for [j 0 N] (memref.store (value k j) b k j)))
  (product a b c)
  (def wrong (fold [count (: 0 i64)] [i 0 M]
    (fold [count count] [j 0 N]
      (def expected (fold [sum (: 0.0 f32)] [k 0 K] (+ sum (* (value i k) (value k j)))))
      (if {:result i64} (= expected (memref.load c i j)) count (+ count 1)))))
  (println "%ld wrong of %ld" wrong (cast i64 (* M N)))
  (memref.dealloc a)
  (memref.dealloc b)
  (memref.dealloc c))

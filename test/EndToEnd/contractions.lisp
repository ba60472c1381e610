; Products of matrices and vectors whose sizes fill no tile, against the sum written out.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --cpu=x86-64-v3 %s | FileCheck %s
; RUN: env LISPIER_THREADS=2 lispier run %s | FileCheck %s
; REQUIRES: avx2
; Small integers: every product and sum is exact, whatever the order. Wrong results of the product as it is, with the right
; side transposed, with the left side transposed, and of the matrix times a vector and the vector times the matrix.
; CHECK: 13 x 37 x 29: 0 0 0 0 0
; CHECK: 8 x 32 x 5: 0 0 0 0 0
; CHECK: 1 x 1 x 1: 0 0 0 0 0
; CHECK: 9 x 33 x 2: 0 0 0 0 0
; CHECK: 64 x 3 x 70: 0 0 0 0 0
; Sizes known when compiling, and BF16 factors.
; CHECK: 6 x 10 x 33: 0 0
(require-dialect memref linalg arith)
(defn number [(: i index) (: j index) (: seed i64)] -> f32
  (cast f32 (- (% (+ (* (cast i64 i) 7) (* (cast i64 j) 3) seed) 11) 5)))
(defmacro fill [m seed]
  `(for [i 0 (memref.dim ~m 0)]
     (for [j 0 (memref.dim ~m 1)]
       (memref.store (number i j (: ~seed i64)) ~m i j))))
; How many numbers of c are not what the sum of products makes of d; ~a and ~b are those at [i, k] and [k, j].
(defmacro count-wrong [c d M N K a b]
  `(fold [wrong (: 0 i64)] [i 0 ~M]
     (fold [wrong wrong] [j 0 ~N]
       (def sum (fold [s (memref.load ~d i j)] [k 0 ~K] (+ s (* ~a ~b))))
       (if (= sum (memref.load ~c i j)) wrong (+ wrong 1)))))
(defn row [(: m "memref<?x?xf32>")] -> "memref<?xf32>"
  (memref.collapse_shape {:result "memref<?xf32>" :reassociation [[0 1]]} m))

(defn compare [(: M index) (: N index) (: K index)]
  (def a (memref.alloc {:result memref<?x?xf32>} M K))
  (def b (memref.alloc {:result memref<?x?xf32>} K N))
  (def bt (memref.alloc {:result memref<?x?xf32>} N K))
  (def at (memref.alloc {:result memref<?x?xf32>} K M))
  (def c (memref.alloc {:result memref<?x?xf32>} M N))
  (def d (memref.alloc {:result memref<?x?xf32>} M N))
  (fill a 1) (fill b 2) (fill bt 4) (fill at 6) (fill d 3)
  (memref.copy d c)
  (linalg.matmul a b c)
  (def plain (count-wrong c d M N K (memref.load a i k) (memref.load b k j)))
  (memref.copy d c)
  (linalg.matmul {:indexing_maps ["affine_map<(m, n, k) -> (m, k)>" "affine_map<(m, n, k) -> (n, k)>" "affine_map<(m, n, k) -> (m, n)>"]} a bt c)
  (def right (count-wrong c d M N K (memref.load a i k) (memref.load bt j k)))
  (memref.copy d c)
  (linalg.matmul {:indexing_maps ["affine_map<(m, n, k) -> (k, m)>" "affine_map<(m, n, k) -> (k, n)>" "affine_map<(m, n, k) -> (m, n)>"]} at b c)
  (def left (count-wrong c d M N K (memref.load at k i) (memref.load b k j)))
  ; A column of M and a row of N numbers.
  (def x (memref.alloc {:result memref<?x?xf32>} K 1))
  (def column (memref.alloc {:result memref<?x?xf32>} M 1))
  (def columns-start (memref.alloc {:result memref<?x?xf32>} M 1))
  (fill x 5) (fill columns-start 7)
  (memref.copy columns-start column)
  (linalg.matvec a (row x) (row column))
  (def by-vector (count-wrong column columns-start M (: 1 index) K (memref.load a i k) (memref.load x k j)))
  (def line (memref.alloc {:result memref<?x?xf32>} 1 N))
  (def lines-start (memref.alloc {:result memref<?x?xf32>} 1 N))
  (fill lines-start 8)
  (memref.copy lines-start line)
  (linalg.vecmat (row x) b (row line))
  (def of-vector (count-wrong line lines-start (: 1 index) N K (memref.load x k i) (memref.load b k j)))
  (println "%ld x %ld x %ld: %ld %ld %ld %ld %ld" (cast i64 M) (cast i64 N) (cast i64 K) plain right left by-vector of-vector))

(defn compare-static []
  (def a (memref.alloc {:result memref<6x33xf32>}))
  (def bt (memref.alloc {:result memref<10x33xf32>}))
  (def c (memref.alloc {:result memref<6x10xf32>}))
  (def d (memref.alloc {:result memref<6x10xf32>}))
  (fill a 1) (fill bt 4) (fill d 3)
  (memref.copy d c)
  (linalg.matmul {:indexing_maps ["affine_map<(m, n, k) -> (m, k)>" "affine_map<(m, n, k) -> (n, k)>" "affine_map<(m, n, k) -> (m, n)>"]} a bt c)
  (def right (count-wrong c d 6 10 33 (memref.load a i k) (memref.load bt j k)))
  (def a16 (memref.alloc {:result memref<6x33xbf16>}))
  (def bt16 (memref.alloc {:result memref<10x33xbf16>}))
  (for [k 0 33]
    (for [i 0 6] (memref.store (cast bf16 (memref.load a i k)) a16 i k))
    (for [j 0 10] (memref.store (cast bf16 (memref.load bt j k)) bt16 j k)))
  (memref.copy d c)
  (linalg.matmul {:indexing_maps ["affine_map<(m, n, k) -> (m, k)>" "affine_map<(m, n, k) -> (n, k)>" "affine_map<(m, n, k) -> (m, n)>"]} a16 bt16 c)
  (def short (count-wrong c d 6 10 33 (memref.load a i k) (memref.load bt j k)))
  (println "6 x 10 x 33: %ld %ld" right short))

(defn main []
  (compare 13 37 29)
  (compare 8 32 5)
  (compare 1 1 1)
  (compare 9 33 2)
  (compare 64 3 70)
  (compare-static))

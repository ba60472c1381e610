; Loops over the rows of each column, by hand, on several columns at once: the same numbers as by formulas on tensors,
; also of columns that fill no vector, of several types, and of parts of a matrix that begin in the middle of a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=loops %s -o - | FileCheck %s --check-prefix=VECTORS
; VECTORS-LABEL: func.func private @sums_parallel
; VECTORS: vector.load
; VECTORS-LABEL: func.func private @largest_parallel
; VECTORS: vector.load
; VECTORS-LABEL: func.func private @product_parallel
; VECTORS: vector.load
(require-dialect memref)
(defn sums [(: x "memref<7x?xbf16, strided<[?, 1], offset: ?>>") (: y "memref<?xf32>")]
  (parallel [j (memref.dim x 1)]
    (memref.store (fold [s 0.0] [i 0 (memref.dim x 0)] (+ s (cast f32 (memref.load x i j)))) y j)))
(defn largest [(: x "memref<9x?xi32>") (: places "memref<?xi32>")]
  (parallel [j (memref.dim x 1)]
    (def [most place]
      (fold [most (: -1000 i32) place (: -1 i32)] [i 0 (memref.dim x 0)]
        (def here (memref.load x i j))
        [(max most here) (if (> here most) (cast i32 i) place)]))
    (memref.store (+ place (* 100 most)) places j)))
(defn product [(: a "memref<3x9xf64>") (: b "memref<9x?xf64>") (: c "memref<3x?xf64>")]
  (parallel [i (memref.dim c 0) j (memref.dim c 1)]
    (memref.store (fold [s (: 0.0 f64)] [k 0 (memref.dim b 0)] (+ s (* (memref.load a i k) (memref.load b k j)))) c i
                  j)))
(defn main []
  (for [n 1 300 37]
    (def x (cast bf16 (reshape (% (* 7 (iota i32 [(* 9 (+ n 3))])) 13) [9 (+ n 3)])))
    (def own (to-memref x))
    (def y (memref.alloc {:result "memref<?xf32>"} n))
    (sums (memref.subview own [1 2] [7 n] [1 1]) y)
    (def differs (sum (abs (- (load y) (cast f32 (sum (cast f32 (slice x [1 2] [7 n])) :axis 0))))))
    (def numbers (reshape (- (% (* 11 (iota i32 [(* 9 n)])) 17) 8) [9 n]))
    (def places (memref.alloc {:result "memref<?xi32>"} n))
    (largest (to-memref numbers) places)
    (def wrong (sum (abs (- (load places) (+ (cast i32 (argmax numbers :axis 0)) (* 100 (max numbers :axis 0)))))))
    (def [a b] [(cast f64 (reshape (iota i32 [27]) [3 9])) (cast f64 numbers)])
    (def c (memref.alloc {:result "memref<3x?xf64>"} n))
    (product (to-memref a) (to-memref b) c)
    (println "%ld %g %ld %g" n differs wrong (sum (abs (- (load c) (matmul a b)))))))
; CHECK: 1 0 0 0
; CHECK-NEXT: 38 0 0 0
; CHECK-NEXT: 75 0 0 0
; CHECK-NEXT: 112 0 0 0
; CHECK-NEXT: 149 0 0 0
; CHECK-NEXT: 186 0 0 0
; CHECK-NEXT: 223 0 0 0
; CHECK-NEXT: 260 0 0 0
; CHECK-NEXT: 297 0 0 0

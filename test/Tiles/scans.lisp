; Cumulative sums in the layouts of memory and of products: along rows and columns, in one and many warps, of sizes that
; are powers of two and not.
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; A row of 4096 in four warps: a thread has four neighbours in each of its eight registers' groups, so that five shuffles
; a group and one exchange between warps do.
; RUN: lispier --emit=loops --target=sim:sm_80 %s | FileCheck %s --check-prefix=LONG
; LONG-LABEL: gpu.func @"long-row"
; LONG-COUNT-40: gpu.shuffle
; LONG-NOT: gpu.shuffle
; LONG-LABEL: gpu.func @"long-row_unaligned"
(require-dialect memref)

(deftile long-row {:warps 4} [(: x memref<?x?xi32>) (: y memref<?x?xi32>)]
  (store (cumsum (load x [0 0] [1 4096]) :axis 1) y [0 0]))
(deftile rows {:const [m n] :warps 2} [(: x memref<?x?xi32>) (: y memref<?x?xi32>)]
  (store (cumsum (load x [0 0] [m n]) :axis 1) y [0 0]))
(deftile columns {:const [m n] :warps 4} [(: x memref<?x?xi32>) (: y memref<?x?xi32>)]
  (store (cumsum (load x [0 0] [m n]) :axis 0) y [0 0]))
(deftile one-dimension {:warps 4} [(: x memref<?x?xi32>) (: y memref<?x?xi32>)]
  (store (cumsum (load x [0 0] [512])) y [0 0]))
(deftile of-product {:const [axis] :warps 4} [(: x memref<?x?xi32>) (: y memref<?x?xi32>)]
  (def a (cast i8 (load x [0 0] [64 64])))
  (store (cumsum (dot a a :transpose-b true) :axis axis) y [0 0]))

(defn matrix [(: m index) (: n index)] -> memref<?x?xi32>
  (def x (memref.alloc {:result memref<?x?xi32>} m n))
  (for [i 0 m] (for [j 0 n] (memref.store (- (cast i32 (% (+ (* 7 i) (* 5 j) (* i j)) 11)) (: 5 i32)) x i j)))
  x)

; Elements of y that are not the sums of those of x along the axis.
(defn wrong [(: x memref<?x?xi32>) (: y memref<?x?xi32>) (: axis index)] -> index
  (fold [w (: 0 index)] [i 0 (memref.dim x 0)] (fold [w w] [j 0 (memref.dim x 1)]
    (def sum (fold [s (: 0 i32)] [k 0 (+ 1 (if (= axis 0) i j))]
      (+ s (if (= axis 0) (memref.load x k j) (memref.load x i k)))))
    (if (= sum (memref.load y i j)) w (+ w 1)))))

(defn product [(: x memref<?x?xi32>)] -> memref<?x?xi32>
  (def p (matrix 64 64))
  (for [i 0 64] (for [j 0 64]
    (memref.store (fold [s (: 0 i32)] [k 0 64] (+ s (* (memref.load x i k) (memref.load x j k)))) p i j)))
  p)

; CHECK: wrong: 0 0 0 0 0 0 0
(defn main []
  (def x1 (matrix 1 4096))
  (def y1 (matrix 1 4096))
  (launch long-row {:grid [1]} x1 y1)
  (def x2 (matrix 8 96))
  (def y2 (matrix 8 96))
  (launch rows {:grid [1] :const {:m 8 :n 96}} x2 y2)
  (def x3 (matrix 4 32))
  (def y3 (matrix 4 32))
  (launch columns {:grid [1] :const {:m 4 :n 32}} x3 y3)
  (def x4 (matrix 96 24))
  (def y4 (matrix 96 24))
  (launch columns {:grid [1] :const {:m 96 :n 24}} x4 y4)
  (def x5 (matrix 1 512))
  (def y5 (matrix 1 512))
  (launch one-dimension {:grid [1]} x5 y5)
  (def x6 (matrix 64 64))
  (def y6 (matrix 64 64))
  (def y7 (matrix 64 64))
  (launch of-product {:grid [1] :const {:axis 0}} x6 y6)
  (launch of-product {:grid [1] :const {:axis 1}} x6 y7)
  (def p (product x6))
  (println "wrong: %ld %ld %ld %ld %ld %ld %ld" (wrong x1 y1 1) (wrong x2 y2 1) (wrong x3 y3 0) (wrong x4 y4 0)
           (wrong x5 y5 1) (wrong p y6 0) (wrong p y7 1)))

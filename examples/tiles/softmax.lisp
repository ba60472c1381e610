; Softmax of each row, whatever its length: a row is one tile while it fits, else it is read twice in chunks
; (row-tiles.lisp).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref math)
(require ["./check.lisp" :as check] ["./row-tiles.lisp" :as row-tiles])

(deftile softmax-row {:const [columns] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (/ e (sum e :axis 1 :keep true)) y [row 0]))

; Where the mask is 0, the result is 0.
(deftile softmax-masked {:const [columns] :warps 4}
  [(: x memref<?x?xf32>) (: mask memref<?x?xi8>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def counts (!= (load mask [row 0] [1 columns]) 0))
  (def v (where counts (load x [row 0] [1 columns]) -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (/ e (sum e :axis 1 :keep true)) y [row 0]))

(defn softmax [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (def columns (memref.dim x 1))
  (if (<= columns 1024)
    (launch softmax-row {:grid [rows] :const {:columns (next-power-of-2 (max columns 128) :among [128 256 512 1024])}} x
      y)
    (launch row-tiles/softmax-chunks {:grid [rows]} x y)))

(defn reference [(: x memref<?x?xf32>) (: mask memref<?x?xi8>) (: y memref<?x?xf32>)]
  (def columns (memref.dim x 1))
  (for [i 0 (memref.dim x 0)]
    (def most (fold [m (: -inf f32)] [j 0 columns]
      (if (!= (memref.load mask i j) 0) (max m (memref.load x i j)) m)))
    (for [j 0 columns]
      (memref.store (if (!= (memref.load mask i j) 0) (exp (- (memref.load x i j) most)) 0.0) y i j))
    (def total (fold [s (: 0.0 f32)] [j 0 columns] (+ s (memref.load y i j))))
    (for [j 0 columns] (memref.store (/ (memref.load y i j) total) y i j))))

(defn masks [(: rows index) (: columns index) (: isFull i1)] -> memref<?x?xi8>
  (def m (memref.alloc {:result memref<?x?xi8>} rows columns))
  (for [i 0 rows] (for [j 0 columns]
    (memref.store (if (or isFull (< (% (+ i j) 3) 2)) (: 1 i8) (: 0 i8)) m i j)))
  m)

(defn test [(: name !llvm.ptr) (: rows index) (: columns index) (: isFull i1)]
  (def x (check/filled 1 rows columns))
  (def mask (masks rows columns isFull))
  (def y (check/matrix rows columns))
  (def z (check/matrix rows columns))
  (if isFull
    (softmax x y)
    (launch softmax-masked {:grid [rows] :const {:columns 1024}} x mask y))
  (reference x mask z)
  (check/report name (check/largest-difference y z) 1e-6))

; CHECK: one tile: ok
; CHECK: chunks: ok
; CHECK: mask: ok
(defn main []
  (test (cstring "one tile") 17 781 true)
  (test (cstring "chunks") 3 9025 true)
  (test (cstring "mask") 9 300 false))

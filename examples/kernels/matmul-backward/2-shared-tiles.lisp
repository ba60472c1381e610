; Matmul backward, step 2: tiles of 16x16 in shared memory.
;
; 256 threads compute 16x16 elements of a result, from tiles that they copy to shared memory, one element each: each
; number is read from memory once a block instead of sixteen times. For dweight the tile of dy is read as it lies in
; memory and used transposed, so that both results read whole sectors. The sums of dbias are of 16 columns a block, by
; 16 threads each, which meet in shared memory at the end.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./matmul-backward.lisp" :as matmul-backward] ["../ladder.lisp" :as ladder])
(require-macros "./matmul-backward.lisp" "../ladder.lisp")

; c = a b, or a^T b. A tile of a begins at row i and column k, and its element [m n] is a factor for row y of c.
(defmacro define-product-kernel [name i k m n]
  `(defkernel ~name [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>) (: depth index)]
     (def of-a (shared f32 [16 16]))
     (def of-b (shared f32 [16 16]))
     (def x (thread-id :x))
     (def y (thread-id :y))
     (def row (* (block-id :y) 16))
     (def column (+ (* (block-id :x) 16) x))
     (def total (fold [total (: 0.0 f32)] [first 0 depth 16]
       (def inA (and (< (+ ~i y) (memref.dim a 0)) (< (+ ~k x) (memref.dim a 1))))
       (def inB (and (< (+ first y) depth) (< column (memref.dim c 1))))
       (memref.store (if inA (memref.load a (+ ~i y) (+ ~k x)) (: 0.0 f32)) of-a y x)
       (memref.store (if inB (memref.load b (+ first y) column) (: 0.0 f32)) of-b y x)
       (barrier)
       (def next (fold [s total] [z 0 16]
         (+ s (* (memref.load of-a ~m ~n) (memref.load of-b z x)))))
       (barrier)
       next))
     (when (and (< (+ row y) (memref.dim c 0)) (< column (memref.dim c 1)))
       (memref.store total c (+ row y) column))))

(define-product-kernel product row first y z)
(define-product-kernel transposed-product first row z y)

(defkernel back-to-bias [(: dy memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def partial (shared f32 [16 16]))
  (def [x y] [(thread-id :x) (thread-id :y)])
  (def m (+ (* (block-id :x) 16) x))
  (def isThere (< m (memref.dim dbias 0)))
  (memref.store (if isThere
                  (fold [s (: 0.0 f32)] [i y (memref.dim dy 0) 16] (+ s (memref.load dy i m)))
                  (: 0.0 f32))
                partial y x)
  (barrier)
  (when (and isThere (= y 0))
    (memref.store (fold [s (: 0.0 f32)] [z 0 16] (+ s (memref.load partial z x))) dbias m)))

(defn step [(: x memref<?x?xf32>) (: weight memref<?x?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def [n outputs columns] [(memref.dim x 0) (memref.dim weight 0) (/ (+ (memref.dim x 1) 15) 16)])
  (launch product {:grid [columns (/ (+ n 15) 16)] :block [16 16]} dy weight dx outputs)
  (launch transposed-product {:grid [columns (/ (+ outputs 15) 16)] :block [16 16]} dy x dweight n)
  (launch back-to-bias {:grid [(/ (+ outputs 15) 16)] :block [16 16]} dy dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-matmul-backward step 2e-5)

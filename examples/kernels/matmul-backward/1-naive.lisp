; Matmul backward, step 1: three kernels, a thread an element.
;
; Each thread walks the summed dimension: of dx the M outputs, of dweight and dbias the N rows. The lanes of a warp have
; neighbouring columns, so that they read a row of one factor together and the same number of the other: two loads for
; each multiplication, and it is the load units that are full. dweight has 2.4 million sums of 8,192 terms, each in one
; thread.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./matmul-backward.lisp" :as matmul-backward] ["../ladder.lisp" :as ladder])
(require-macros "./matmul-backward.lisp" "../ladder.lisp")

(defkernel back-to-x [(: weight memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def i (block-id :y))
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< c (memref.dim dx 1))
    (memref.store (fold [s (: 0.0 f32)] [m 0 (memref.dim dy 1)] (+ s (* (memref.load dy i m) (memref.load weight m c))))
                  dx i c)))

(defkernel back-to-weight [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dweight memref<?x?xf32>)]
  (def m (block-id :y))
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< c (memref.dim dweight 1))
    (memref.store (fold [s (: 0.0 f32)] [i 0 (memref.dim dy 0)] (+ s (* (memref.load dy i m) (memref.load x i c))))
                  dweight m c)))

(defkernel back-to-bias [(: dy memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def m (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< m (memref.dim dbias 0))
    (memref.store (fold [s (: 0.0 f32)] [i 0 (memref.dim dy 0)] (+ s (memref.load dy i m))) dbias m)))

(defn step [(: x memref<?x?xf32>) (: weight memref<?x?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def columns (/ (+ (memref.dim x 1) 127) 128))
  (launch back-to-x {:grid [columns (memref.dim x 0)] :block [128]} weight dy dx)
  (launch back-to-weight {:grid [columns (memref.dim weight 0)] :block [128]} x dy dweight)
  (launch back-to-bias {:grid [(/ (+ (memref.dim weight 0) 127) 128)] :block [128]} dy dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-matmul-backward step 2e-5)

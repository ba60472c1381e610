; Softmax, step 1: a thread a row.
;
; Three loops: the maximum, so that no exponential overflows; the sum; the results. The lanes of a warp read 32 rows
; at a time, 201 KB apart, so that each access takes 32 sectors for 4 bytes of each, and the caches cannot hold the
; rows until the next 4 bytes are wanted: eight times the bytes move, three times over.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def columns (memref.dim x 1))
  (when (< row (memref.dim x 0))
    (def most (fold [m (: -inf f32)] [c 0 columns] (max m (memref.load x row c))))
    (def total (fold [s (: 0.0 f32)] [c 0 columns] (+ s (exp (- (memref.load x row c) most)))))
    (for [c 0 columns]
      (memref.store (/ (exp (- (memref.load x row c) most)) total) y row c))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 63) 64)] :block [64]} x y))

; CHECK: ok
(define-softmax step)

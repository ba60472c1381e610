; GELU and residual, step 1: a kernel for each op, a thread an element.
;
; The two ops as two kernels, with the activation in memory between them: 20 bytes move for each number instead of 12,
; and the second kernel waits for the first. Each thread loads and stores 4 bytes; neighbours are neighbours in
; memory.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)
(require ["./gelu-residual.lisp" :as gelu-residual] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-residual.lisp" "../ladder.lisp")

(defkernel activate [(: z memref<?x?xf32>) (: a memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< c (memref.dim z 1))
    (memref.store (gelu-residual/activation (memref.load z (block-id :y) c)) a (block-id :y) c)))

(defkernel add [(: x memref<?x?xf32>) (: a memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< c (memref.dim x 1))
    (memref.store (+ (memref.load x (block-id :y) c) (memref.load a (block-id :y) c)) y (block-id :y) c)))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (def blocks (/ (+ (memref.dim x 1) 255) 256))
  (def a (device-alloc memref<?x?xf32> [rows (memref.dim x 1)]))
  (launch activate {:grid [blocks rows] :block [256]} z a)
  (launch add {:grid [blocks rows] :block [256]} x a y)
  (device-free! a))

; CHECK: ok
(define-gelu-residual step)

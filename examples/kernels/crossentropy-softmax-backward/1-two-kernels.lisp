; Cross-entropy and softmax backward, step 1: two kernels.
;
; The softmax (step 2 of its ladder: a block a row, trees in shared memory) writes probabilities, and a kernel of a
; thread an element subtracts 1 at the target and multiplies by the gradient of the row's loss, as llm.c's
; crossentropy_softmax_backward does with the probabilities of the forward pass. The matrix moves six times: three reads
; and a write for the softmax, a read and a write for the gradient.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./crossentropy-softmax-backward.lisp" :as crossentropy-softmax-backward] ["../ladder.lisp" :as ladder])
(require-macros "./crossentropy-softmax-backward.lisp" "../ladder.lisp")

(require-macros "../softmax/softmax.lisp") ; `tree`

(defkernel probabilities [(: x memref<?x?xf32>) (: p memref<?x?xf32>)]
  (def partial (shared f32 [256]))
  (def row (block-id :x))
  (def t (thread-id :x))
  (def columns (memref.dim x 1))
  (memref.store (fold [m (: -inf f32)] [c t columns 256] (max m (memref.load x row c))) partial t)
  (def most (tree partial t max))
  (memref.store (fold [s (: 0.0 f32)] [c t columns 256] (+ s (exp (- (memref.load x row c) most)))) partial t)
  (def total (tree partial t +))
  (for [c t columns 256]
    (memref.store (/ (exp (- (memref.load x row c) most)) total) p row c)))

(defkernel back [(: p memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim p 1))
    (def one (if (= c (cast index (memref.load targets row))) (: 1.0 f32) (: 0.0 f32)))
    (memref.store (* (memref.load dloss row) (- (memref.load p row c) one)) p row c)))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (launch probabilities {:grid [rows] :block [256]} x dx)
  (launch back {:grid [(/ (+ (memref.dim x 1) 255) 256) rows] :block [256]} dx targets dloss))

; CHECK: ok
(define-crossentropy-softmax-backward step)

; Classifier, step 1: three kernels.
;
; As a framework runs it: a softmax (step 2 of its ladder: a block a row, trees in shared memory) writes probabilities;
; a kernel of a thread a row takes the log of that of the target; a kernel of a thread an element subtracts 1 there and
; divides by N. The matrix moves six times: three reads and a write for the softmax, a read and a write for the
; gradient.
;
; The logarithm of a rounded probability is no better than the probability: near 1 the loss has an error of 2^-24.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./classifier.lisp" :as classifier] ["../ladder.lisp" :as ladder])
(require-macros "./classifier.lisp" "../ladder.lisp" "../softmax/softmax.lisp") ; `tree`

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

(defkernel losses-of [(: p memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)]
  (def row (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< row (memref.dim p 0))
    (memref.store (- 0.0 (log (memref.load p row (cast index (memref.load targets row))))) losses row 0)))

(defkernel gradient-of [(: p memref<?x?xf32>) (: targets memref<?xi32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim p 1))
    (def one (if (= c (cast index (memref.load targets row))) (: 1.0 f32) (: 0.0 f32)))
    (memref.store (/ (- (memref.load p row c) one) (cast f32 (memref.dim p 0))) p row c)))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
           (: gradient memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (launch probabilities {:grid [rows] :block [256]} x gradient)
  (launch losses-of {:grid [(/ (+ rows 255) 256)] :block [256]} gradient targets losses)
  (launch gradient-of {:grid [(/ (+ (memref.dim x 1) 255) 256) rows] :block [256]} gradient targets))

; CHECK: ok
; CHECK-NEXT: ok
(define-classifier step)

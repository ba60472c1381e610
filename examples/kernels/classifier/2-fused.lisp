; Classifier, step 2: one kernel.
;
; The loss needs only the row's maximum and sum, and the gradient of an element only these and the element: so one
; kernel finds both in one pass over the row (step 4 of softmax), and a second pass writes the gradient. Probabilities
; are not in memory, the loss has the precision of its logits, and the matrix moves three times.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./classifier.lisp" :as classifier] ["../ladder.lisp" :as ladder])
(require-macros "./classifier.lisp" "../ladder.lisp" "../softmax/softmax.lisp") ; `tree`

(defkernel classify [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
                    (: gradient memref<?x?xf32>)]
  (def partial (shared f32 [256]))
  (def row (block-id :x))
  (def t (thread-id :x))
  (def columns (memref.dim x 1))
  (def [mine sum] (fold [m (: -3.4e38 f32) s (: 0.0 f32)] [c t columns 256]
    (def v (memref.load x row c))
    (def next (max m v))
    [next (+ (* s (exp (- m next))) (exp (- v next)))]))
  (memref.store mine partial t)
  (def most (tree partial t max))
  (memref.store (* sum (exp (- mine most))) partial t)
  (def total (tree partial t +))
  (def target (cast index (memref.load targets row)))
  (when (= t 0)
    (memref.store (- (+ most (log total)) (memref.load x row target)) losses row 0))
  (def each (/ 1.0 (cast f32 (memref.dim x 0))))
  (def scale (/ each total))
  (for [c t columns 256]
    (def p (* scale (exp (- (memref.load x row c) most))))
    (memref.store (if (= c target) (- p each) p) gradient row c)))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
           (: gradient memref<?x?xf32>)]
  (launch classify {:grid [(memref.dim x 0)] :block [256]} x targets losses gradient))

; CHECK: ok
; CHECK-NEXT: ok
(define-classifier step)

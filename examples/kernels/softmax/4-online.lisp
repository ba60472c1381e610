; Softmax, step 4: maximum and sum in one pass.
;
; The sum of exp(v - m) for a maximum m so far becomes that for a larger one m2 by the factor exp(m - m2): so one pass
; finds both, and a row is read twice instead of three times (Milakov, Gimelshein 2018). Each thread has a maximum and
; a sum of its own; the block combines the maxima first, then the sums, each brought to the maximum of the block. A
; thread whose maximum grows pays an exponential more, which after a few numbers is rare.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
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
  (def scale (/ 1.0 (tree partial t +)))
  (for [c t columns 256]
    (memref.store (* (exp (- (memref.load x row c) most)) scale) y row c)))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(memref.dim x 0)] :block [256]} x y))

; CHECK: ok
(define-softmax step)

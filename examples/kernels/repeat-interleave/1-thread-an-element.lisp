; Repeat-interleave, step 1: a thread an element of y.
;
; Neighbouring threads write neighbours. The block's row is divided by R once, by all threads alike; the rows of x are
; read R times, of which all but the first find them in the L2 cache. Four bytes a thread are on their way.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./repeat-interleave.lisp" :as repeat-interleave] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave.lisp" "../ladder.lisp")

(defkernel repeat [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim y 1))
    (memref.store (memref.load x (/ row times) c) y row c)))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (launch repeat {:grid [(/ (+ (memref.dim y 1) 255) 256) (memref.dim y 0)] :block [256]} x y times))

; CHECK: ok
(define-repeat-interleave step)

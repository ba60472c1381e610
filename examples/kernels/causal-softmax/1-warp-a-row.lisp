; Causal softmax, step 1: a warp a row.
;
; Step 3 of the softmax of whole rows: the lanes of a warp take every 32nd number of what the row sees, and combine
; their maxima and sums by shuffles. Neighbouring warps have rows of about the same length, so that the warps of a block
; end together; the blocks of a head take from 1 to 1,024 numbers a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./causal-softmax.lisp" :as causal-softmax] ["../ladder.lisp" :as ladder])
(require-macros "./causal-softmax.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def time (memref.dim x 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def seen (+ 1 (% row time)))
    (def most (warp-reduce :max (fold [m (: -inf f32)] [j (lane-id) seen (warp-size)]
                                  (max m (memref.load x row j)))))
    (def total (warp-reduce :add (fold [s (: 0.0 f32)] [j (lane-id) seen (warp-size)]
                                   (+ s (exp (- (memref.load x row j) most))))))
    (for [j (lane-id) time (warp-size)]
      (memref.store (if (< j seen) (/ (exp (- (memref.load x row j) most)) total) (: 0.0 f32)) y row j))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x y))

; CHECK: ok
(define-causal-softmax step)

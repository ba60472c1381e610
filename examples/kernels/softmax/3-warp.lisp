; Softmax, step 3: a warp a row.
;
; Shuffles instead of trees: no shared memory and no barrier. For rows of a few hundred numbers this is the best way,
; and it was step 3 of layer norm. A row of 50,257 numbers is 1,571 loads a lane one after the other, and fewer bytes
; are on their way for each multiprocessor than with a block a row: the right tool for another shape.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def most (warp-reduce :max (fold [m (: -inf f32)] [c (lane-id) columns (warp-size)]
                                  (max m (memref.load x row c)))))
    (def total (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                   (+ s (exp (- (memref.load x row c) most))))))
    (for [c (lane-id) columns (warp-size)]
      (memref.store (/ (exp (- (memref.load x row c) most)) total) y row c))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x y))

; CHECK: ok
(define-softmax step)

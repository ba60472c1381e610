; Softmax, step 2: a block a row, with trees in shared memory.
;
; 256 threads take every 256th number of a row, neighbours read neighbours, and maximum and sum of the block are
; combined by halving in shared memory, eight barriers each. A row is read three times, but only the first pass waits
; for memory if the L2 cache holds the rows that are worked on: 132 multiprocessors with eight blocks each have 212 MB
; of them, and it has 50 MB. So most of the bytes move three times, and once more to be written.
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
  (memref.store (fold [m (: -inf f32)] [c t columns 256] (max m (memref.load x row c))) partial t)
  (def most (tree partial t max))
  (memref.store (fold [s (: 0.0 f32)] [c t columns 256] (+ s (exp (- (memref.load x row c) most)))) partial t)
  (def total (tree partial t +))
  (for [c t columns 256]
    (memref.store (/ (exp (- (memref.load x row c) most)) total) y row c)))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(memref.dim x 0)] :block [256]} x y))

; CHECK: ok
(define-softmax step)

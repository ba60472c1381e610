; Softmax, step 5: several blocks a row.
;
; With fewer rows than multiprocessors, a block a row leaves some multiprocessors without work. Here four blocks share
; a row: the first kernel writes a maximum and a sum for each part, the second combines the four of its row and writes
; the results. 8,192 rows are enough for all multiprocessors, so that the time is that of step 4; the gain is for
; shapes with few rows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./softmax.lisp" :as softmax] ["../ladder.lisp" :as ladder])
(require-macros "./softmax.lisp" "../ladder.lisp")

(defkernel sums [(: x memref<?x?xf32>) (: most memref<?x?xf32>) (: total memref<?x?xf32>)]
  (def partial (shared f32 [256]))
  (def t (thread-id :x))
  (def part (block-id :x))
  (def row (block-id :y))
  (def [mine sum] (fold [m (: -3.4e38 f32) s (: 0.0 f32)]
                       [c (+ t (* part 256)) (memref.dim x 1) (* 256 (grid-dim :x))]
    (def v (memref.load x row c))
    (def next (max m v))
    [next (+ (* s (exp (- m next))) (exp (- v next)))]))
  (memref.store mine partial t)
  (def all (tree partial t max))
  (memref.store (* sum (exp (- mine all))) partial t)
  (def together (tree partial t +))
  (when (= t 0)
    (memref.store all most row part)
    (memref.store together total row part)))

(defkernel results [(: x memref<?x?xf32>) (: most memref<?x?xf32>) (: total memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (block-id :y))
  (def parts (memref.dim most 1))
  (def all (fold [m (: -3.4e38 f32)] [p 0 parts] (max m (memref.load most row p))))
  (def scale (/ 1.0 (fold [s (: 0.0 f32)] [p 0 parts]
                      (+ s (* (memref.load total row p) (exp (- (memref.load most row p) all)))))))
  (for [c (+ (thread-id :x) (* (block-id :x) 256)) (memref.dim x 1) (* 256 (grid-dim :x))]
    (memref.store (* (exp (- (memref.load x row c) all)) scale) y row c)))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (def most (device-alloc memref<?x?xf32> [rows 4]))
  (def total (device-alloc memref<?x?xf32> [rows 4]))
  (launch sums {:grid [4 rows] :block [256]} x most total)
  (launch results {:grid [4 rows] :block [256]} x most total y)
  (device-free! most)
  (device-free! total))

; CHECK: ok
(define-softmax step)

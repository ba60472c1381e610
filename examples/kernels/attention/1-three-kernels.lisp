; Attention, step 1: three kernels.
;
; As in the formula: a thread a score, a warp a row of the softmax, a thread an element of the result. The scores of all
; heads are in memory, 403 MB at the shape that is measured, and are written twice and read three times. Of the keys,
; neighbouring threads read numbers that lie a row of x apart, 9 KB.
;
; What comes after a row's own token is left out: half of the work of each kernel, since a block of threads has rows of
; about the same length.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)
(require ["./attention.lisp" :as attention] ["../ladder.lisp" :as ladder])
(require-macros "./attention.lisp" "../ladder.lisp")

(defkernel scores-of [(: x memref<?x?xf32>) (: scores memref<?x?xf32>) (: heads index) (: groups index)]
  (def time (memref.dim scores 1))
  (def j (+ (* (block-id :y) (block-dim :x)) (thread-id :x)))
  (def row (block-id :x)) ; Of [B H T].
  (def i (% row time))
  (def h (% (/ row time) heads))
  (def first (* time (/ row (* time heads))))
  (def key (* 64 (+ heads (/ h (/ heads groups)))))
  (when (<= j i)
    (def s (fold [s (: 0.0 f32)] [d 0 64]
      (+ s (* (memref.load x (+ first i) (+ d (* 64 h))) (memref.load x (+ first j) (+ key d))))))
    (memref.store (* 0.125 s) scores row j)))

(defkernel normalize [(: scores memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def time (memref.dim scores 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim scores 0) (* (grid-dim :x) warps)]
    (def seen (+ 1 (% row time)))
    (def most (warp-reduce :max (fold [m (: -inf f32)] [j (lane-id) seen (warp-size)]
                                  (max m (memref.load scores row j)))))
    (def total (warp-reduce :add (fold [s (: 0.0 f32)] [j (lane-id) seen (warp-size)]
                                   (+ s (exp (- (memref.load scores row j) most))))))
    (for [j (lane-id) seen (warp-size)]
      (memref.store (/ (exp (- (memref.load scores row j) most)) total) scores row j))))

(defkernel values-of [(: x memref<?x?xf32>) (: scores memref<?x?xf32>) (: y memref<?x?xf32>) (: heads index)
                      (: groups index)]
  (def time (memref.dim scores 1))
  (def row (block-id :x))
  (def i (% row time))
  (def h (% (/ row time) heads))
  (def first (* time (/ row (* time heads))))
  (def d (thread-id :x))
  (def value (* 64 (+ heads groups (/ h (/ heads groups)))))
  (def sum (fold [s (: 0.0 f32)] [j 0 (+ i 1)]
    (+ s (* (memref.load scores row j) (memref.load x (+ first j) (+ value d))))))
  (memref.store sum y (+ first i) (+ d (* 64 h))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  (def time (/ (memref.dim x 0) batch))
  (def rows (* batch heads time))
  (def scores (device-alloc memref<?x?xf32> [rows time]))
  (launch scores-of {:grid [rows (/ (+ time 127) 128)] :block [128]} x scores heads groups)
  (launch normalize {:grid [(/ (+ rows 7) 8)] :block [256]} scores)
  (launch values-of {:grid [rows] :block [64]} x scores y heads groups)
  (device-free! scores))

; CHECK: ok
(define-attention step 1 2e-6)

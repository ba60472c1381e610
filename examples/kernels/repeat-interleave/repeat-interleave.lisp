;;; repeat-interleave.lisp - what the steps of this folder compute: row i of y is row i / R of x, as heads of keys are
;;; repeated for groups of R heads of queries. x: [N C]; y: [N R C].
;;;
;;; It moves 4 + 4 R bytes for each number of x. The time is measured at N 8192, C 1024, R 4. Better is not to do it:
;;; attention that reads the head i / R itself, as in the ladder of attention.
(require-dialect memref)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: times index)] -> memref<?x?xf32>
  (def y (memref.alloc {:result memref<?x?xf32>} (* times (memref.dim x 0)) (memref.dim x 1)))
  (for [i 0 (memref.dim y 0)] (for [c 0 (memref.dim y 1)]
    (memref.store (memref.load x (/ i times) c) y i c)))
  y)

;; (step x y times) launches the kernel.
(defmacro define-repeat-interleave [step]
  `(define-main
     (let [x (ladder/matrix 7 100 1) y (ladder/matrix 21 100 2)]
       (~step x y 3)
       (ladder/compare y (reference (ladder/on-host x) 3) 0.0))
     (let [x (ladder/matrix 8192 1024 1) y (ladder/matrix 32768 1024 2)]
       (print-time 100 (~step x y 4)))))

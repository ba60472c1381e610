;;; causal-softmax.lisp - what the steps of this folder compute: the softmax of scores of attention, of which row i of T
;;; sees columns j <= i: y = exp(x - max x) / sum exp(x - max x) there, and 0 beyond. x, y: [N T], T rows for each head.
;;;
;;; It moves 6 bytes for each number: half of x is read, all of y is written. The time is measured at N 98304, T 1024,
;;; which are 8 sequences of 12 heads.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>)] -> memref<?x?xf32>
  (def time (memref.dim x 1))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) time))
  (for [row 0 (memref.dim x 0)]
    (def seen (+ 1 (% row time)))
    (def most (fold [m (: -inf f32)] [j 0 seen] (max m (memref.load x row j))))
    (def total (fold [s (: 0.0 f64)] [j 0 seen] (+ s (exp (cast f64 (- (memref.load x row j) most))))))
    (for [j 0 time]
      (def p (/ (exp (cast f64 (- (memref.load x row j) most))) total))
      (memref.store (if (< j seen) (cast f32 p) (: 0.0 f32)) y row j)))
  y)

;; (step x y) launches the kernel.
(defmacro define-causal-softmax [step]
  `(define-main
     (let [x (ladder/matrix 150 75 1) y (ladder/matrix 150 75 2)]
       (~step x y)
       (ladder/compare y (reference (ladder/on-host x)) 2e-7))
     (let [x (ladder/matrix 98304 1024 1) y (ladder/matrix 98304 1024 2)]
       (print-time 20 (~step x y)))))

;;; repeat-interleave-backward.lisp - what the steps of this folder compute: row i of dx is the sum of rows i R to i R +
;;; R - 1 of dy, as the gradient of a head of keys is that of the R heads of queries that read it. dy: [N R C]; dx: [N
;;; C].
;;;
;;; It moves 4 + 4 R bytes for each number of dx. The time is measured at N 8192, C 1024, R 4. Better is not to do it:
;;; the ladder `grouped-attention-backward` adds the heads where it computes their gradients.
(require-dialect memref)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: dy memref<?x?xf32>) (: times index)] -> memref<?x?xf32>
  (def dx (memref.alloc {:result memref<?x?xf32>} (/ (memref.dim dy 0) times) (memref.dim dy 1)))
  (for [i 0 (memref.dim dx 0)] (for [c 0 (memref.dim dx 1)]
    (def sum (fold [s (: 0.0 f64)] [k 0 times] (+ s (cast f64 (memref.load dy (+ k (* i times)) c)))))
    (memref.store (cast f32 sum) dx i c)))
  dx)

;; (step x dy dx times) launches the kernel.
(defmacro define-repeat-interleave-backward [step]
  `(define-main
     (let [x (ladder/matrix 7 100 3) dy (ladder/matrix 21 100 1) dx (ladder/matrix 7 100 2)]
       (~step x dy dx 3)
       (ladder/compare dx (reference (ladder/on-host dy) 3) 1e-6))
     (let [x (ladder/matrix 8192 1024 3) dy (ladder/matrix 32768 1024 1) dx (ladder/matrix 8192 1024 2)]
       (print-time 100 (~step x dy dx 4)))))

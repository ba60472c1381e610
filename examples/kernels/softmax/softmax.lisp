;;; softmax.lisp - what the steps of this folder compute: y = exp(x - max x) / sum exp(x - max x) of each row. x, y:
;;; [N C].
;;;
;;; It moves 8 bytes for each number if a row is read once, 12 if it is read twice. The time is measured at N 8192,
;;; C 50257, a language model's logits: a row is 201 KB, more than a block has registers, and no row but every fourth
;;; begins at 16 bytes. x is 1.6 GB.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)]
    (def most (fold [m (: -inf f32)] [c 0 columns] (max m (memref.load x i c))))
    (def total (fold [s (: 0.0 f64)] [c 0 columns] (+ s (exp (cast f64 (- (memref.load x i c) most))))))
    (for [c 0 columns]
      (memref.store (cast f32 (/ (exp (cast f64 (- (memref.load x i c) most))) total)) y i c)))
  y)

;; Combines the 256 numbers of `partial`, shared memory of a block of 256 threads, by a function of two; its first
;; place has the result, and `partial` may be used again.
(defmacro tree [partial t operation]
  `(do
     (barrier)
     (loop [half (: 128 index)] :while (> half 0)
       :do (do
             (when (< ~t half)
               (memref.store (~operation (memref.load ~partial ~t) (memref.load ~partial (+ ~t half))) ~partial ~t))
             (barrier)
             [(/ half 2)]))
     (let [all (memref.load ~partial 0)]
       (barrier)
       all)))

;; (step x y) launches the kernel.
(defmacro define-softmax [step]
  `(define-main
     (let [x (ladder/matrix 5 1201 1) y (ladder/matrix 5 1201 2)]
       (~step x y)
       (ladder/compare y (reference (ladder/on-host x)) 1e-8))
     (let [x (ladder/matrix 8192 50257 1) y (ladder/matrix 8192 50257 2)]
       (print-time 10 (~step x y)))))

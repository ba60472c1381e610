;;; layer-norm.lisp - what the steps of this folder compute: y = (x - mean) / sqrt(variance + 1e-5) * weight + bias of
;;; each row. x, y: [N C]; weight, bias: [C]; mean and variance: of the row's C numbers. Ba, Kiros, Hinton 2016.
;;;
;;; It moves 8 bytes for each number, if each row is read from memory once; the time is measured at N 8192, C 768.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def each (/ 1.0 (cast f64 columns)))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)]
    (def mean (* each (fold [s (: 0.0 f64)] [c 0 columns] (+ s (cast f64 (memref.load x i c))))))
    (def variance (* each (fold [s (: 0.0 f64)] [c 0 columns]
                            (def d (- (cast f64 (memref.load x i c)) mean))
                            (+ s (* d d)))))
    (def scale (/ 1.0 (math.sqrt (+ variance 1e-5))))
    (for [c 0 columns]
      (def normal (cast f32 (* (- (cast f64 (memref.load x i c)) mean) scale)))
      (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y i c)))
  y)

;; Leaves the sum of the 128 numbers of `partial`, shared memory of a block of 128 threads, in its first place: seven
;; times the upper half is added to the lower.
(defmacro tree-sum [partial t]
  `(do
     (barrier)
     (loop [half (: 64 index)] :while (> half 0)
       :do (do
             (when (< ~t half)
               (memref.store (+ (memref.load ~partial ~t) (memref.load ~partial (+ ~t half))) ~partial ~t))
             (barrier)
             [(/ half 2)]))))

;; (step x weight bias y) launches the kernel.
(defmacro define-layer-norm [step]
  `(define-main
     (let [x (ladder/matrix 9 200 1) weight (ladder/vector 200 2) bias (ladder/vector 200 3) y (ladder/matrix 9 200 4)]
       (~step x weight bias y)
       (ladder/compare y (reference (ladder/on-host x) (ladder/vector-on-host weight) (ladder/vector-on-host bias))
                       2e-6))
     (let [x (ladder/matrix 8192 768 1) weight (ladder/vector 768 2) bias (ladder/vector 768 3)
           y (ladder/matrix 8192 768 4)]
       (print-time 100 (~step x weight bias y)))))

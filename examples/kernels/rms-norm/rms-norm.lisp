;;; rms-norm.lisp - what the steps of this folder compute: y = x / sqrt(mean x^2 + 1e-5) * weight of each row. x, y:
;;; [N C]; weight: [C]. Zhang, Sennrich 2019.
;;;
;;; It moves 8 bytes for each number, if each row is read from memory once; the time is measured at N 8192, C 2048.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: weight memref<?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)]
    (def squares (fold [s (: 0.0 f64)] [c 0 columns]
      (def v (cast f64 (memref.load x i c)))
      (+ s (* v v))))
    (def scale (/ 1.0 (math.sqrt (+ (/ squares (cast f64 columns)) 1e-5))))
    (for [c 0 columns]
      (memref.store (* (cast f32 (* (cast f64 (memref.load x i c)) scale)) (memref.load weight c)) y i c)))
  y)

;; (step x weight y) launches the kernel.
(defmacro define-rms-norm [step]
  `(define-main
     (let [x (ladder/matrix 9 200 1) weight (ladder/vector 200 2) y (ladder/matrix 9 200 3)]
       (~step x weight y)
       (ladder/compare y (reference (ladder/on-host x) (ladder/vector-on-host weight)) 2e-6))
     (let [x (ladder/matrix 8192 2048 1) weight (ladder/vector 2048 2) y (ladder/matrix 8192 2048 3)]
       (print-time 100 (~step x weight y)))))

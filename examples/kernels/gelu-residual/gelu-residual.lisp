;;; gelu-residual.lisp - what the steps of this folder compute: y = x + gelu(z), elementwise, on [N C] f32, where
;;; gelu(z) is z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))) (Hendrycks, Gimpel 2016).
;;;
;;; It moves 12 bytes for each number, if nothing is written between the two ops. The time is measured at N 8192, C
;;; 768.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: z memref<?x?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)] (for [c 0 columns]
    (def v (cast f64 (memref.load z i c)))
    (def u (+ v (* 0.044715 v v v)))
    (def gelu (* 0.5 v (+ 1.0 (math.tanh (* 0.7978845608028654 u)))))
    (memref.store (cast f32 (+ (cast f64 (memref.load x i c)) gelu)) y i c)))
  y)

;; The activation of a number or a vector.
(defn activation [v] (* 0.5 v (+ 1.0 (tanh (* 0.7978845608028654 (+ v (* 0.044715 v v v)))))))

;; (step x z y) launches the kernels.
(defmacro define-gelu-residual [step]
  `(define-main
     (let [x (ladder/matrix 9 100 1) z (ladder/matrix 9 100 2) y (ladder/matrix 9 100 3)]
       (~step x z y)
       (ladder/compare y (reference (ladder/on-host x) (ladder/on-host z)) 1e-6))
     (let [x (ladder/matrix 8192 768 1) z (ladder/matrix 8192 768 2) y (ladder/matrix 8192 768 3)]
       (print-time 100 (~step x z y)))))

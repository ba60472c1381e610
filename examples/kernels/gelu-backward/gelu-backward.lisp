;;; gelu-backward.lisp - what the steps of this folder compute: dx = dy gelu'(x), elementwise, on [N C] f32, where
;;; gelu(x) is x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), so that gelu'(x) is
;;; (1 + tanh(u))/2 + x/2 (1 - tanh(u)^2) u'.
;;;
;;; It moves 12 bytes for each number. The time is measured at N 8192, C 768, as llm.c's gelu_backward.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: dy memref<?x?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def dx (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)] (for [c 0 columns]
    (memref.store (cast f32 (* (cast f64 (memref.load dy i c)) (slope (cast f64 (memref.load x i c))))) dx i c)))
  dx)

;; gelu' of a number, a vector or a tile.
(defn slope [v]
  (let [t (tanh (* 0.7978845608028654 (+ v (* 0.044715 v v v))))
        inner (* 0.7978845608028654 (+ 1.0 (* 0.134145 v v)))]
    (* 0.5 (+ 1.0 t (* v (- 1.0 (* t t)) inner)))))

;; (step x dy dx) launches the kernel.
(defmacro define-gelu-backward [step]
  `(define-main
     (let [x (ladder/matrix 9 100 1) dy (ladder/matrix 9 100 2) dx (ladder/matrix 9 100 3)]
       (~step x dy dx)
       (ladder/compare dx (reference (ladder/on-host x) (ladder/on-host dy)) 1e-6))
     (let [x (ladder/matrix 8192 768 1) dy (ladder/matrix 8192 768 2) dx (ladder/matrix 8192 768 3)]
       (print-time 100 (~step x dy dx)))))

;;; residual-norm.lisp - what the steps of this folder compute, as each half of a transformer's layer does: z = x + r,
;;; and y, the layer norm of z (layer-norm/layer-norm.lisp). x, r, z, y: [N C]; weight, bias: [C].
;;;
;;; It moves 16 bytes for each number, if z is not read again; the time is measured at N 8192, C 768.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder] ["../layer-norm/layer-norm.lisp" :as layer-norm])
(require-macros "../ladder.lisp")

(defn summed [(: x memref<?x?xf32>) (: r memref<?x?xf32>)] -> memref<?x?xf32>
  (def z (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) (memref.dim x 1)))
  (for [i 0 (memref.dim x 0)] (for [c 0 (memref.dim x 1)]
    (memref.store (+ (memref.load x i c) (memref.load r i c)) z i c)))
  z)

;; (step x r weight bias z y) launches the kernels. Both results are compared: z is exact.
(defmacro define-residual-norm [step]
  `(define-main
     (let [x (ladder/matrix 9 200 1) r (ladder/matrix 9 200 2) weight (ladder/vector 200 3) bias (ladder/vector 200 4)
           z (ladder/matrix 9 200 5) y (ladder/matrix 9 200 6)]
       (~step x r weight bias z y)
       (def wanted (summed (ladder/on-host x) (ladder/on-host r)))
       (ladder/compare z wanted 0.0)
       (ladder/compare y (layer-norm/reference wanted (ladder/vector-on-host weight) (ladder/vector-on-host bias))
                       2e-6))
     (let [x (ladder/matrix 8192 768 1) r (ladder/matrix 8192 768 2) weight (ladder/vector 768 3)
           bias (ladder/vector 768 4) z (ladder/matrix 8192 768 5) y (ladder/matrix 8192 768 6)]
       (print-time 100 (~step x r weight bias z y)))))

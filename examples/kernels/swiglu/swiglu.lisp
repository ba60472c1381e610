;;; swiglu.lisp - what the steps of this folder compute: y = gate / (1 + exp(-gate)) * up, elementwise, on [N C] f32:
;;; the gated activation between the products of a Llama's MLP (Shazeer 2020).
;;;
;;; It moves 12 bytes for each number. The time is measured at N 8192, C 2048. examples/tiles/llama-layers.lisp has it
;;; with the two products before it in one program.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: gate memref<?x?xf32>) (: up memref<?x?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim gate 1))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim gate 0) columns))
  (for [i 0 (memref.dim gate 0)] (for [c 0 columns]
    (def g (cast f64 (memref.load gate i c)))
    (memref.store (cast f32 (* (/ g (+ 1.0 (exp (- 0.0 g)))) (cast f64 (memref.load up i c)))) y i c)))
  y)

;; The activation of a number, a vector or a tile.
(defn gated [gate up] (* gate (sigmoid gate) up))

;; (step gate up y) launches the kernel.
(defmacro define-swiglu [step]
  `(define-main
     (let [gate (ladder/matrix 9 100 1) up (ladder/matrix 9 100 2) y (ladder/matrix 9 100 3)]
       (~step gate up y)
       (ladder/compare y (reference (ladder/on-host gate) (ladder/on-host up)) 1e-6))
     (let [gate (ladder/matrix 8192 2048 1) up (ladder/matrix 8192 2048 2) y (ladder/matrix 8192 2048 3)]
       (print-time 100 (~step gate up y)))))

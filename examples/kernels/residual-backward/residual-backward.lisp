;;; residual-backward.lisp - what the steps of this folder compute: the gradients of y = x + z by both terms, added to
;;; what is there: dx += dy and dz += dy, elementwise, on [N C] f32. They are added since a residual stream is read by
;;; the next layer, too, as llm.c's residual_backward adds them.
;;;
;;; It moves 20 bytes for each number. The time is measured at N 8192, C 768. Where dx and dz have no other terms they
;;; are dy itself, and a training step (examples/training) has no such kernel.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: dy memref<?x?xf32>) (: term memref<?x?xf32>)] -> memref<?x?xf32>
  (for [i 0 (memref.dim dy 0)] (for [c 0 (memref.dim dy 1)]
    (memref.store (+ (memref.load term i c) (memref.load dy i c)) term i c)))
  term)

;; (step x z dy dx dz) launches the kernel.
(defmacro define-residual-backward [step]
  `(define-main
     (let [x (ladder/matrix 9 100 4) z (ladder/matrix 9 100 5) dy (ladder/matrix 9 100 1)
           dx (ladder/matrix 9 100 2) dz (ladder/matrix 9 100 3)
           of-x (reference (ladder/on-host dy) (ladder/on-host dx))
           of-z (reference (ladder/on-host dy) (ladder/on-host dz))]
       (~step x z dy dx dz)
       (ladder/compare dx of-x 0.0)
       (ladder/compare dz of-z 0.0))
     (let [x (ladder/matrix 8192 768 4) z (ladder/matrix 8192 768 5) dy (ladder/matrix 8192 768 1)
           dx (ladder/matrix 8192 768 2) dz (ladder/matrix 8192 768 3)]
       (print-time 100 (~step x z dy dx dz)))))

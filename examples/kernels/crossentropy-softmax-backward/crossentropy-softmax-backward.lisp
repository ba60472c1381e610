;;; crossentropy-softmax-backward.lisp - what the steps of this folder compute: the gradient of the losses
;;; log(sum exp(x)) - x[target] of rows of logits by these, dx = dloss (softmax(x) - 1 at the target). x, dx: [N V];
;;; targets, dloss: [N]. llm.c's kernel of that name is given the softmax, which is another matrix of that size; here it
;;; is computed again.
;;;
;;; It moves 8 bytes for each number if a row is read once, 12 if it is read twice. The time is measured at N 8192, V
;;; 50257.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>)] -> memref<?x?xf32>
  (def columns (memref.dim x 1))
  (def dx (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) columns))
  (for [i 0 (memref.dim x 0)]
    (def most (fold [m (: -inf f32)] [c 0 columns] (max m (memref.load x i c))))
    (def total (fold [s (: 0.0 f64)] [c 0 columns] (+ s (exp (cast f64 (- (memref.load x i c) most))))))
    (def target (cast index (memref.load targets i)))
    (for [c 0 columns]
      (def p (/ (exp (cast f64 (- (memref.load x i c) most))) total))
      (def d (cast f64 (memref.load dloss i)))
      (memref.store (cast f32 (* d (- p (if (= c target) 1.0 0.0)))) dx i c)))
  dx)

;; (step x targets dloss dx) launches the kernels.
(defmacro define-crossentropy-softmax-backward [step]
  `(define-main
     (let [x (ladder/matrix 5 1201 1) targets (ladder/integers 5 1201) dloss (ladder/vector 5 2)
           dx (ladder/matrix 5 1201 3)]
       (~step x targets dloss dx)
       (ladder/compare dx (reference (ladder/on-host x) (ladder/integers-on-host targets)
                                     (ladder/vector-on-host dloss))
                       2e-7))
     (let [x (ladder/matrix 8192 50257 1) targets (ladder/integers 8192 50257) dloss (ladder/vector 8192 2)
           dx (ladder/matrix 8192 50257 3)]
       (print-time 10 (~step x targets dloss dx)))))

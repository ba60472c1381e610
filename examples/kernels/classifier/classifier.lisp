;;; classifier.lisp - what the steps of this folder compute: the loss of each row of logits,
;;; log(sum exp(x)) - x[target], and the gradient of the mean of all losses, (softmax(x) - 1 at the target) / N. x,
;;; gradient: [N V]; targets: [N]; losses: [N 1]. That is the end of a language model's training step, llm.c's fused
;;; classifier.
;;;
;;; It moves 8 bytes for each number if a row is read once, 12 if it is read twice. The time is measured at N 8192, V
;;; 50257, as that of softmax.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
                 (: gradient memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (def columns (memref.dim x 1))
  (for [i 0 rows]
    (def most (fold [m (: -inf f32)] [c 0 columns] (max m (memref.load x i c))))
    (def total (fold [s (: 0.0 f64)] [c 0 columns] (+ s (exp (cast f64 (- (memref.load x i c) most))))))
    (def target (cast index (memref.load targets i)))
    (memref.store (cast f32 (- (+ (log total) (cast f64 most)) (cast f64 (memref.load x i target)))) losses i 0)
    (for [c 0 columns]
      (def p (/ (exp (cast f64 (- (memref.load x i c) most))) total))
      (memref.store (cast f32 (/ (- p (if (= c target) 1.0 0.0)) (cast f64 rows))) gradient i c))))

;; (step x targets losses gradient) launches the kernels.
(defmacro define-classifier [step]
  `(define-main
     (let [x (ladder/matrix 5 1201 1) targets (ladder/integers 5 1201)
           losses (ladder/matrix 5 1 2) gradient (ladder/matrix 5 1201 3)]
       (~step x targets losses gradient)
       (def wanted-losses (memref.alloc {:result memref<?x?xf32>} (: 5 index) (: 1 index)))
       (def wanted (memref.alloc {:result memref<?x?xf32>} (: 5 index) (: 1201 index)))
       (reference (ladder/on-host x) (ladder/integers-on-host targets) wanted-losses wanted)
       (ladder/compare losses wanted-losses 2e-6)
       (ladder/compare gradient wanted 1e-7))
     (let [x (ladder/matrix 8192 50257 1) targets (ladder/integers 8192 50257)
           losses (ladder/matrix 8192 1 2) gradient (ladder/matrix 8192 50257 3)]
       (print-time 10 (~step x targets losses gradient)))))

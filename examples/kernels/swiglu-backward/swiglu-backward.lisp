;;; swiglu-backward.lisp - what the steps of this folder compute: the gradients of y = gate sigmoid(gate) up by both
;;; factors, elementwise, on [N C] f32. With s = sigmoid(gate), dup = dy gate s and dgate = dy up s (1 + gate (1 - s)).
;;;
;;; It moves 20 bytes for each number: three are read and two written. The time is measured at N 8192, C 2048.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

;; By differences of the value in F64, whose errors are below 1e-9 at this step.
(defn reference [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
                 (: dup memref<?x?xf32>)]
  (for [i 0 (memref.dim gate 0)] (for [c 0 (memref.dim gate 1)]
    (def g (cast f64 (memref.load gate i c)))
    (def d (cast f64 (memref.load dy i c)))
    (def difference (- (gated (+ g 1e-5)) (gated (- g 1e-5))))
    (memref.store (cast f32 (* d (cast f64 (memref.load up i c)) (/ difference 2e-5))) dgate i c)
    (memref.store (cast f32 (* d (gated g))) dup i c))))
(defn gated [(: g f64)] -> f64 (/ g (+ 1.0 (exp (- 0.0 g)))))

;; Both gradients of a number, a vector or a tile.
(defn gradients [gate up dy]
  (let [s (sigmoid gate) d (* dy s)]
    [(* d up (+ 1.0 (* gate (- 1.0 s)))) (* d gate)]))

;; (step gate up dy dgate dup) launches the kernel.
(defmacro define-swiglu-backward [step]
  `(define-main
     (let [gate (ladder/matrix 9 100 1) up (ladder/matrix 9 100 2) dy (ladder/matrix 9 100 3)
           dgate (ladder/matrix 9 100 4) dup (ladder/matrix 9 100 5)]
       (~step gate up dy dgate dup)
       (def of-gate (memref.alloc {:result memref<?x?xf32>} (: 9 index) (: 100 index)))
       (def of-up (memref.alloc {:result memref<?x?xf32>} (: 9 index) (: 100 index)))
       (reference (ladder/on-host gate) (ladder/on-host up) (ladder/on-host dy) of-gate of-up)
       (ladder/compare dgate of-gate 1e-6)
       (ladder/compare dup of-up 1e-6))
     (let [gate (ladder/matrix 8192 2048 1) up (ladder/matrix 8192 2048 2) dy (ladder/matrix 8192 2048 3)
           dgate (ladder/matrix 8192 2048 4) dup (ladder/matrix 8192 2048 5)]
       (print-time 100 (~step gate up dy dgate dup)))))

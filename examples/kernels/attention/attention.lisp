;;; attention.lisp - what the steps of this folder compute: causal attention of T tokens of each of B sequences. A row
;;; of x has the queries of a token's H heads, then the keys and then the values of G heads, of 64 numbers each: x is
;;; [B T, (H + 2 G) 64], y [B T, H 64]. Head h reads keys and values of head h / (H / G), and row i sees rows j <= i:
;;; y = softmax(q k / 8) v.
;;;
;;; It takes 2 B H T^2 64 multiplications and additions, if it leaves out what is not seen. The time is measured at
;;; B 8, T 1024, H 12, G 12, as llm.c's attention_forward: 12.9 GFLOP.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: batch index) (: heads index) (: groups index)] -> memref<?x?xf32>
  (def rows (memref.dim x 0))
  (def time (/ rows batch))
  (def y (memref.alloc {:result memref<?x?xf32>} rows (* 64 heads)))
  (def p (memref.alloc {:result memref<?xf64>} time))
  (for [row 0 rows] (for [h 0 heads]
    (def first (- row (% row time)))
    (def seen (+ 1 (% row time)))
    (def key (* 64 (+ heads (/ h (/ heads groups)))))
    (def value (+ key (* 64 groups)))
    (def most (fold [most (: -inf f64)] [j 0 seen]
      (def s (fold [s (: 0.0 f64)] [d 0 64]
        (+ s (* (cast f64 (memref.load x row (+ d (* 64 h)))) (cast f64 (memref.load x (+ first j) (+ key d)))))))
      (memref.store (* 0.125 s) p j)
      (max most (* 0.125 s))))
    (def total (fold [total (: 0.0 f64)] [j 0 seen]
      (memref.store (exp (- (memref.load p j) most)) p j)
      (+ total (memref.load p j))))
    (for [d 0 64]
      (def sum (fold [s (: 0.0 f64)] [j 0 seen]
        (+ s (* (memref.load p j) (cast f64 (memref.load x (+ first j) (+ value d)))))))
      (memref.store (cast f32 (/ sum total)) y row (+ d (* 64 h))))))
  y)

;; (step x y batch heads groups) launches the kernels; `shared` heads of queries have one of keys.
(defmacro define-attention [step shared limit]
  `(define-main
     (let [groups (/ (: 4 index) ~shared)
           x (ladder/matrix 74 (* 64 (+ 4 (* 2 groups))) 1) y (ladder/matrix 74 256 2)]
       (~step x y 2 4 groups)
       (ladder/compare y (reference (ladder/on-host x) 2 4 groups) ~limit))
     (let [groups (/ (: 12 index) ~shared)
           x (ladder/matrix 8192 (* 64 (+ 12 (* 2 groups))) 1) y (ladder/matrix 8192 768 2)]
       (print-time 10 (~step x y 8 12 groups)))))

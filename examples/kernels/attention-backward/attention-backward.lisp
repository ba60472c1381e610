;;; attention-backward.lisp - what the steps of this folder compute: the gradient of the causal attention of the ladder
;;; `attention`, y = softmax(q k / 8) v, by the rows of x, which have a token's queries, keys and values. With dp = dy v
;;; and ds = p (dp - sum(p dp)) / 8: dq = ds k, dk is the sum of ds q, and dv that of p dy, over the rows that see the
;;; key. x, dx: [B T, (H + 2 G) 64]; dy: [B T, H 64].
;;;
;;; x and dy are given, and not what a forward pass would have kept: each step computes probabilities, or the log of
;;; their sums, first. It takes 7 B H T^2 64 multiplications and additions, two of seven for that, if it leaves out what
;;; is not seen. The time is measured at B 4, T 1024, H 12, as llm.c's attention_backward, which is given probabilities.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

;; The sum of 64 products of numbers in a row of `a` and one of `b`, each from a column on.
(defn dot64 [(: a memref<?x?xf32>) (: i index) (: c index) (: b memref<?x?xf32>) (: j index) (: d index)] -> f64
  (fold [s (: 0.0 f64)] [n 0 64]
    (+ s (* (cast f64 (memref.load a i (+ c n))) (cast f64 (memref.load b j (+ d n)))))))

;; Adds `factor` times 64 numbers of a row of `a` to those of a row of `sums`, each from a column on.
(defn add64 [(: factor f64) (: a memref<?x?xf32>) (: i index) (: c index) (: sums memref<?x?xf64>) (: j index)
             (: d index)]
  (for [n 0 64]
    (memref.store (+ (memref.load sums j (+ d n)) (* factor (cast f64 (memref.load a i (+ c n))))) sums j (+ d n))))

(defn reference [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  -> memref<?x?xf32>
  (def [rows columns] [(memref.dim x 0) (memref.dim x 1)])
  (def time (/ rows batch))
  (def sums (memref.alloc {:result memref<?x?xf64>} rows columns))
  (def p (memref.alloc {:result memref<?x?xf64>} (: 2 index) time))
  (for [i 0 rows] (for [c 0 columns] (memref.store 0.0 sums i c)))
  (for [row 0 rows] (for [h 0 heads]
    (def first (- row (% row time)))
    (def seen (+ 1 (% row time)))
    (def key (* 64 (+ heads (/ h (/ heads groups)))))
    (def value (+ key (* 64 groups)))
    (def most (fold [most (: -inf f64)] [j 0 seen]
      (memref.store (* 0.125 (dot64 x row (* 64 h) x (+ first j) key)) p 0 j)
      (max most (memref.load p 0 j))))
    (def total (fold [total (: 0.0 f64)] [j 0 seen] (+ total (exp (- (memref.load p 0 j) most)))))
    (def delta (fold [delta (: 0.0 f64)] [j 0 seen]
      (memref.store (/ (exp (- (memref.load p 0 j) most)) total) p 0 j)
      (memref.store (dot64 dy row (* 64 h) x (+ first j) value) p 1 j)
      (+ delta (* (memref.load p 0 j) (memref.load p 1 j)))))
    (for [j 0 seen]
      (def ds (* 0.125 (memref.load p 0 j) (- (memref.load p 1 j) delta)))
      (add64 ds x (+ first j) key sums row (* 64 h))
      (add64 ds x row (* 64 h) sums (+ first j) key)
      (add64 (memref.load p 0 j) dy row (* 64 h) sums (+ first j) value))))
  (def dx (memref.alloc {:result memref<?x?xf32>} rows columns))
  (for [i 0 rows] (for [c 0 columns] (memref.store (cast f32 (memref.load sums i c)) dx i c)))
  dx)

;; What both ladders check: two sequences of 37 tokens.
(defmacro check-attention-backward [step heads groups limit]
  `(let [x (ladder/matrix 74 (* 64 (+ ~heads (* 2 ~groups))) 1) dy (ladder/matrix 74 (* 64 ~heads) 2)
         dx (ladder/matrix 74 (* 64 (+ ~heads (* 2 ~groups))) 3)]
     (~step x dy dx 2 ~heads ~groups)
     (ladder/compare dx (reference (ladder/on-host x) (ladder/on-host dy) 2 ~heads ~groups) ~limit)))

;; (step x dy dx batch heads groups) launches the kernels; here each head has keys of its own.
(defmacro define-attention-backward [step limit]
  `(define-main
     (check-attention-backward ~step 2 2 ~limit)
     (let [x (ladder/matrix 4096 2304 1) dy (ladder/matrix 4096 768 2) dx (ladder/matrix 4096 2304 3)]
       (print-time 10 (~step x dy dx 4 12 12)))))

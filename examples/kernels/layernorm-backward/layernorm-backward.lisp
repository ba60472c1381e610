;;; layernorm-backward.lisp - what the steps of this folder compute: the gradients of y = n weight + bias, where n = (x
;;; - mean) / sqrt(variance + 1e-5) of each row, by x, weight and bias. With g = dy weight and r the reciprocal
;;; deviation, dx = r (g - mean(g) - n mean(g n)); dweight is the sum of dy n over the rows, dbias that of dy. x, dy,
;;; dx: [N C]; weight, dweight, dbias: [C].
;;;
;;; It moves 12 bytes for each number, if each row is read once. Means and deviations are computed again: the row is
;;; needed in any case. The time is measured at N 8192, C 1600, that of llm.c's layernorm_backward.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
                 (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (def columns (memref.dim x 1))
  (def each (/ 1.0 (cast f64 columns)))
  (def sums (memref.alloc {:result memref<?x?xf64>} (: 2 index) columns))
  (for [c 0 columns] (memref.store 0.0 sums 0 c) (memref.store 0.0 sums 1 c))
  (for [i 0 (memref.dim x 0)]
    (def mean (* each (fold [s (: 0.0 f64)] [c 0 columns] (+ s (cast f64 (memref.load x i c))))))
    (def variance (* each (fold [s (: 0.0 f64)] [c 0 columns]
                            (def d (- (cast f64 (memref.load x i c)) mean))
                            (+ s (* d d)))))
    (def scale (/ 1.0 (math.sqrt (+ variance 1e-5))))
    (def [g gn] (fold [g (: 0.0 f64) gn (: 0.0 f64)] [c 0 columns]
      (def of-c (* (cast f64 (memref.load dy i c)) (cast f64 (memref.load weight c))))
      [(+ g (* each of-c)) (+ gn (* each of-c scale (- (cast f64 (memref.load x i c)) mean)))]))
    (for [c 0 columns]
      (def d (cast f64 (memref.load dy i c)))
      (def n (* scale (- (cast f64 (memref.load x i c)) mean)))
      (memref.store (cast f32 (* scale (- (* d (cast f64 (memref.load weight c))) (+ g (* n gn))))) dx i c)
      (memref.store (+ (memref.load sums 0 c) (* d n)) sums 0 c)
      (memref.store (+ (memref.load sums 1 c) d) sums 1 c)))
  (for [c 0 columns]
    (memref.store (cast f32 (memref.load sums 0 c)) dweight c)
    (memref.store (cast f32 (memref.load sums 1 c)) dbias c)))

;; (step x weight bias dy dx dweight dbias) launches the kernels.
(defmacro define-layernorm-backward [step]
  `(define-main
     (let [x (ladder/matrix 19 200 1) weight (ladder/vector 200 2) bias (ladder/vector 200 7)
           dy (ladder/matrix 19 200 3)
           dx (ladder/matrix 19 200 4) dweight (ladder/vector 200 5) dbias (ladder/vector 200 6)
           of-x (memref.alloc {:result memref<?x?xf32>} (: 19 index) (: 200 index))
           of-weight (memref.alloc {:result memref<?xf32>} (: 200 index))
           of-bias (memref.alloc {:result memref<?xf32>} (: 200 index))]
       (~step x weight bias dy dx dweight dbias)
       (reference (ladder/on-host x) (ladder/vector-on-host weight) (ladder/on-host dy) of-x of-weight of-bias)
       (ladder/compare dx of-x 2e-6)
       (ladder/compare-vectors dweight of-weight 1e-5)
       (ladder/compare-vectors dbias of-bias 1e-5))
     (let [x (ladder/matrix 8192 1600 1) weight (ladder/vector 1600 2) bias (ladder/vector 1600 7)
           dy (ladder/matrix 8192 1600 3)
           dx (ladder/matrix 8192 1600 4) dweight (ladder/vector 1600 5) dbias (ladder/vector 1600 6)]
       (print-time 100 (~step x weight bias dy dx dweight dbias)))))

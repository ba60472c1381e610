;;; matmul-backward.lisp - what the steps of this folder compute: the gradients of y = x weight^T + bias by all three,
;;; dx = dy weight, dweight = dy^T x and dbias, the sum of dy over its rows. x, dx: [N C]; weight, dweight: [M C];
;;; dbias: [M]; dy: [N M]; all f32.
;;;
;;; It takes 4 N C M operations. The time is measured at N 8192, C 768, M 3072, as llm.c's matmul_backward: 77 GFLOP,
;;; which an H200 could do in 1.2 ms without tensor cores (67 TFLOP/s).
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: x memref<?x?xf32>) (: weight memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
                 (: dweight memref<?x?xf32>) (: dbias memref<?xf32>)]
  (for [i 0 (memref.dim dx 0)] (for [c 0 (memref.dim dx 1)]
    (memref.store (cast f32 (fold [s (: 0.0 f64)] [m 0 (memref.dim dy 1)]
                              (+ s (* (cast f64 (memref.load dy i m)) (cast f64 (memref.load weight m c))))))
                  dx i c)))
  (for [m 0 (memref.dim dy 1)]
    (for [c 0 (memref.dim dx 1)]
      (memref.store (cast f32 (fold [s (: 0.0 f64)] [i 0 (memref.dim dy 0)]
                                (+ s (* (cast f64 (memref.load dy i m)) (cast f64 (memref.load x i c))))))
                    dweight m c))
    (memref.store (cast f32 (fold [s (: 0.0 f64)] [i 0 (memref.dim dy 0)] (+ s (cast f64 (memref.load dy i m)))))
                  dbias m)))

;; (step x weight bias dy dx dweight dbias) launches the kernels. 90 terms below 1, each sum rounded by 2^-24 of itself,
;; are within 2e-5; of factors that are taken as two terms of BF16, each product is within 2^-15 of itself.
(defmacro define-matmul-backward [step limit]
  `(define-main
     (let [x (ladder/matrix 70 52 1) weight (ladder/matrix 90 52 2) bias (ladder/vector 90 3) dy (ladder/matrix 70 90 4)
           dx (ladder/matrix 70 52 5) dweight (ladder/matrix 90 52 6) dbias (ladder/vector 90 7)
           of-x (memref.alloc {:result memref<?x?xf32>} (: 70 index) (: 52 index))
           of-weight (memref.alloc {:result memref<?x?xf32>} (: 90 index) (: 52 index))
           of-bias (memref.alloc {:result memref<?xf32>} (: 90 index))]
       (~step x weight bias dy dx dweight dbias)
       (reference (ladder/on-host x) (ladder/on-host weight) (ladder/on-host dy) of-x of-weight of-bias)
       (ladder/compare dx of-x ~limit)
       (ladder/compare dweight of-weight ~limit)
       (ladder/compare-vectors dbias of-bias 2e-5))
     (let [x (ladder/matrix 8192 768 1) weight (ladder/matrix 3072 768 2) bias (ladder/vector 3072 3)
           dy (ladder/matrix 8192 3072 4) dx (ladder/matrix 8192 768 5) dweight (ladder/matrix 3072 768 6)
           dbias (ladder/vector 3072 7)]
       (print-time 10 (~step x weight bias dy dx dweight dbias)))))

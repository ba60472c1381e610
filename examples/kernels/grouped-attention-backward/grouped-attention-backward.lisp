;;; grouped-attention-backward.lisp - what the steps of this folder compute: the gradient of attention as in the ladder
;;; `attention-backward`, where H / G heads of queries share one of keys and values, whose gradients are sums over these
;;; heads (Ainslie and others 2023).
;;;
;;; The time is measured at B 2, T 2048, H 32, G 8, the heads of Llama 3.2 1B: 120 GFLOP.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder] ["../attention-backward/attention-backward.lisp" :as attention-backward])
(require-macros "../ladder.lisp" "../attention-backward/attention-backward.lisp")

;; (step x dy dx batch heads groups) launches the kernels.
(defmacro define-grouped-attention-backward [step limit]
  `(define-main
     (check-attention-backward ~step 4 2 ~limit)
     (let [x (ladder/matrix 4096 3072 1) dy (ladder/matrix 4096 2048 2) dx (ladder/matrix 4096 3072 3)]
       (print-time 10 (~step x dy dx 2 32 8)))))

;;; encoder.lisp - what the steps of this folder compute: y[n, c] = table[token[n], c] + positions[n % T, c], the
;;; first op of a transformer. tokens: [N] of B texts with T tokens each; table: [V C]; positions: [T C]; y: [N C];
;;; all but tokens f32.
;;;
;;; It moves 12 bytes for each result, and computes one addition: what counts is how memory is read and written. The
;;; time is measured at B 8, T 1024, C 768, V 50257, where all that is read but the table stays in the L2 cache of a
;;; large GPU. Repeated steps find some of the table there too, since all memory that they touch is about as large as
;;; the cache; so what is evicted first changes the time, which a model that reads y next would not see.
(require-dialect memref)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>)] -> memref<?x?xf32>
  (def n (memref.dim tokens 0))
  (def channels (memref.dim table 1))
  (def y (memref.alloc {:result memref<?x?xf32>} n channels))
  (for [i 0 n] (for [c 0 channels]
    (memref.store (+ (memref.load table (cast index (memref.load tokens i)) c)
                     (memref.load positions (% i (memref.dim positions 0)) c))
                  y i c)))
  y)

;; (step tokens table positions y) launches the kernel.
(defmacro define-encoder [step]
  `(define-main
     (let [tokens (ladder/integers 21 50) table (ladder/matrix 50 100 1) positions (ladder/matrix 7 100 2)
           y (ladder/matrix 21 100 3)]
       (~step tokens table positions y)
       (ladder/compare y (reference (ladder/integers-on-host tokens) (ladder/on-host table)
                                            (ladder/on-host positions))
                       0.0))
     (let [tokens (ladder/integers 8192 50257) table (ladder/matrix 50257 768 1) positions (ladder/matrix 1024 768 2)
           y (ladder/matrix 8192 768 3)]
       (print-time 100 (~step tokens table positions y)))))

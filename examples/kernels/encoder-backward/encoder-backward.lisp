;;; encoder-backward.lisp - what the steps of this folder compute: the gradients of the encoder's sum of a row of the
;;; table and one of the positions, added to what is there: dtable[token[n]] += dy[n] and dpositions[n % T] += dy[n].
;;; tokens: [N] of B texts with T tokens each; dy: [N C]; dtable: [V C]; dpositions: [T C]; all but tokens f32. They are
;;; added since a table that is the output's, too, has two gradients, and as llm.c's encoder_backward adds them.
;;;
;;; It moves 4 bytes of dy for each number, and reads and writes as many of the table, and B-th of the positions. The
;;; time is measured at B 8, T 1024, C 768, V 50257, with tokens that differ.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])
(require-macros "../ladder.lisp")

(defn reference [(: tokens memref<?xi32>) (: dy memref<?x?xf32>) (: dtable memref<?x?xf32>)
                 (: dpositions memref<?x?xf32>)]
  (for [n 0 (memref.dim dy 0)] (for [c 0 (memref.dim dy 1)]
    (def token (cast index (memref.load tokens n)))
    (def t (% n (memref.dim dpositions 0)))
    (def d (memref.load dy n c))
    (memref.store (+ (memref.load dtable token c) d) dtable token c)
    (memref.store (+ (memref.load dpositions t c) d) dpositions t c))))

;; (step tokens table positions dy dtable dpositions) launches the kernels. Of 21 tokens some are equal.
(defmacro define-encoder-backward [step]
  `(define-main
     (let [tokens (ladder/integers 21 13) table (ladder/matrix 50 100 4) positions (ladder/matrix 7 100 5)
           dy (ladder/matrix 21 100 1) dtable (ladder/matrix 50 100 2) dpositions (ladder/matrix 7 100 3)
           of-table (ladder/on-host dtable) of-positions (ladder/on-host dpositions)]
       (~step tokens table positions dy dtable dpositions)
       (reference (ladder/integers-on-host tokens) (ladder/on-host dy) of-table of-positions)
       (ladder/compare dtable of-table 1e-6)
       (ladder/compare dpositions of-positions 1e-6))
     (let [tokens (ladder/integers 8192 50257) table (ladder/matrix 50257 768 4) positions (ladder/matrix 1024 768 5)
           dy (ladder/matrix 8192 768 1) dtable (ladder/matrix 50257 768 2) dpositions (ladder/matrix 1024 768 3)]
       (print-time 100 (~step tokens table positions dy dtable dpositions)))))

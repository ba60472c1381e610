; What the programs for attention share: heads of numbers, and plain attention.
; RUN: lispier check %s
(require-dialect memref)
(require ["./check.lisp" :as check])

; heads x time x d numbers in 16 bits.
(defn random-heads [(: seed index) (: heads index) (: time index) (: d index)] -> memref<?x?x?xbf16>
  (def m (memref.alloc {:result memref<?x?x?xbf16>} heads time d))
  (for [h 0 heads] (for [i 0 time] (for [j 0 d]
    (memref.store (cast bf16 (check/value (+ seed (* 11 h)) i j)) m h i j))))
  m)

; 1 / sqrt(d), by which scores are multiplied.
(defn score-scale [(: q memref<?x?x?xbf16>)] -> f32 (rsqrt (cast f32 (memref.dim q 2))))

; p[i, j], of the rows that see column j: the softmax of the scores of query head h and key head `shared`.
(defn probabilities [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: p memref<?x?xf32>) (: h index)
                     (: shared index) (: causal index) (: window index)]
  (def time (memref.dim k 1))
  (for [i 0 (memref.dim q 1)]
    (def most (fold [most (: -inf f32)] [j 0 time]
      (def s (fold [s (: 0.0 f32)] [x 0 (memref.dim q 2)]
        (+ s (* (cast f32 (memref.load q h i x)) (cast f32 (memref.load k shared j x))))))
      (def isSeen (and (or (= causal 0) (<= j i)) (< (- i j) window)))
      (memref.store (where isSeen (* s (score-scale q)) -inf) p i j)
      (max most (memref.load p i j))))
    (def total (fold [total (: 0.0 f32)] [j 0 time] (+ total (exp (- (memref.load p i j) most)))))
    (for [j 0 time] (memref.store (/ (exp (- (memref.load p i j) most)) total) p i j))))

;;; score-kernels.lisp - attention backward with all scores in memory, for the first steps of attention-backward and
;;; grouped-attention-backward.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder])

;; result[row, j] = scale times the product of row i of `a`, head h, and row j of x, the head of `part`: 0 keys, 1
;; values.
(defkernel products [(: a memref<?x?xf32>) (: x memref<?x?xf32>) (: result memref<?x?xf32>) (: scale f32) (: part index)
                     (: heads index) (: groups index)]
  (def time (memref.dim result 1))
  (def j (+ (* (block-id :y) (block-dim :x)) (thread-id :x)))
  (def row (block-id :x)) ; Of [B H T].
  (def i (% row time))
  (def h (% (/ row time) heads))
  (def first (* time (/ row (* time heads))))
  (def other (* 64 (+ heads (* part groups) (/ h (/ heads groups)))))
  (when (<= j i)
    (def s (fold [s (: 0.0 f32)] [d 0 64]
      (+ s (* (memref.load a (+ first i) (+ d (* 64 h))) (memref.load x (+ first j) (+ other d))))))
    (memref.store (* scale s) result row j)))

(defkernel normalize [(: scores memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def time (memref.dim scores 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim scores 0) (* (grid-dim :x) warps)]
    (def seen (+ 1 (% row time)))
    (def most (warp-reduce :max (fold [m (: -inf f32)] [j (lane-id) seen (warp-size)]
                                  (max m (memref.load scores row j)))))
    (def total (warp-reduce :add (fold [s (: 0.0 f32)] [j (lane-id) seen (warp-size)]
                                   (+ s (exp (- (memref.load scores row j) most))))))
    (for [j (lane-id) seen (warp-size)]
      (memref.store (/ (exp (- (memref.load scores row j) most)) total) scores row j))))

;; ds of dp, in its place: p (dp - sum(p dp)) / 8.
(defkernel through-softmax [(: p memref<?x?xf32>) (: dp memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def time (memref.dim p 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim p 0) (* (grid-dim :x) warps)]
    (def seen (+ 1 (% row time)))
    (def delta (warp-reduce :add (fold [s (: 0.0 f32)] [j (lane-id) seen (warp-size)]
                                   (+ s (* (memref.load p row j) (memref.load dp row j))))))
    (for [j (lane-id) seen (warp-size)]
      (memref.store (* 0.125 (memref.load p row j) (- (memref.load dp row j) delta)) dp row j))))

(defkernel back-to-queries [(: x memref<?x?xf32>) (: ds memref<?x?xf32>) (: dx memref<?x?xf32>) (: heads index)
                            (: groups index)]
  (def time (memref.dim ds 1))
  (def row (block-id :x))
  (def i (% row time))
  (def h (% (/ row time) heads))
  (def first (* time (/ row (* time heads))))
  (def d (thread-id :x))
  (def key (* 64 (+ heads (/ h (/ heads groups)))))
  (memref.store (fold [s (: 0.0 f32)] [j 0 (+ i 1)]
                  (+ s (* (memref.load ds row j) (memref.load x (+ first j) (+ key d)))))
                dx (+ first i) (+ d (* 64 h))))

;; A block has a key and its value: they sum over all heads that read them, and all rows that see them.
(defkernel back-to-keys-and-values [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: p memref<?x?xf32>)
                                    (: ds memref<?x?xf32>) (: dx memref<?x?xf32>) (: heads index) (: groups index)]
  (def time (memref.dim p 1))
  (def j (% (block-id :x) time))
  (def group (% (/ (block-id :x) time) groups))
  (def sequence (/ (block-id :x) (* time groups)))
  (def first (* time sequence))
  (def shared-by (/ heads groups))
  (def d (thread-id :x))
  (def [dk dv] (fold [dk (: 0.0 f32) dv (: 0.0 f32)] [h (* group shared-by) (* (+ group 1) shared-by)]
    (fold [dk dk dv dv] [i j time]
      (def row (+ i (* time (+ h (* heads sequence)))))
      (def c (+ d (* 64 h)))
      [(+ dk (* (memref.load ds row j) (memref.load x (+ first i) c)))
       (+ dv (* (memref.load p row j) (memref.load dy (+ first i) c)))])))
  (def key (* 64 (+ heads group)))
  (memref.store dk dx (+ first j) (+ d key))
  (memref.store dv dx (+ first j) (+ d key (* 64 groups))))

(defn back [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
            (: groups index)]
  (def tokens (memref.dim x 0))
  (def time (/ tokens batch))
  (def rows (* heads tokens))
  (def p (device-alloc memref<?x?xf32> [rows time]))
  (def ds (device-alloc memref<?x?xf32> [rows time]))
  (def blocks (/ (+ time 127) 128))
  (launch products {:grid [rows blocks] :block [128]} x x p (: 0.125 f32) 0 heads groups)
  (launch normalize {:grid [(/ (+ rows 7) 8)] :block [256]} p)
  (launch products {:grid [rows blocks] :block [128]} dy x ds (: 1.0 f32) 1 heads groups)
  (launch through-softmax {:grid [(/ (+ rows 7) 8)] :block [256]} p ds)
  (launch back-to-queries {:grid [rows] :block [64]} x ds dx heads groups)
  (launch back-to-keys-and-values {:grid [(* groups tokens)] :block [64]} x dy p ds dx heads groups)
  (device-free! p)
  (device-free! ds))

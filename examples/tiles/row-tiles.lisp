; Tile programs of rows for softmax.lisp and layer-norm.lisp; tools/dev/bench-tiles measures them.
; RUN: lispier check %s
(require-dialect memref)

; The first pass carries the maximum so far and, for each place of a chunk, the sum of exp(v - maximum) so far. The next
; chunk is read while this one is summed.
(deftile softmax-chunks {:const [chunk] :warps 16 :tune {:chunk [8192 1024]}}
  [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 1] -3.4e38) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)]
      [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def scale (/ 1.0 (sum total :axis 1 :keep true)))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (store (* (exp (- v most)) scale) y [row j])
    after))

; A block of a GPU has many threads; on a CPU a chunk stays in the first cache.
(tuned softmax-chunks {:const {:chunk 8192}})
(tuned softmax-chunks {:const {:chunk 1024} :targets [cpu]})

; Several rows a block, for short rows. Columns past the end are 0 in the sums, and so are their differences.
(deftile layer-norm {:const [rows columns] :warps 4}
  [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def i (* rows (program-id 0)))
  (def n (memref.dim x 1))
  (def size (cast f32 n))
  (def v (load x [i 0] [rows columns]))
  (def mean (/ (sum v :axis 1 :keep true) size))
  (def d (where (< (iota index [columns]) n) (- v mean) 0.0))
  (def variance (/ (sum (* d d) :axis 1 :keep true) size))
  (store (+ (* d (rsqrt (+ variance 1e-5)) (load weight [0] [columns])) (load bias [0] [columns])) y [i 0]))

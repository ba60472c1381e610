; Tile programs of rows for softmax.lisp and layer-norm.lisp; tools/dev/bench-tiles measures them.
; RUN: lispier check %s
(require-dialect memref)

; The first pass carries the maximum so far and, for each place of a chunk, the sum of exp(v - maximum) so far. The next
; chunk is read while this one is summed. With :exponentials 1 each is computed once, kept in y until the sum is known,
; and read again: where the row stays in a cache and the exponential is what takes time, as on a CPU.
(deftile softmax-chunks
  {:const [chunk exponentials] :warps 16 :tune {:chunk [10240 8192 512] :exponentials [2 1] :warps [16 8 32]}}
  [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (if (= exponentials 1)
    (do
      (def most (fold [most (full f32 [1 1] -inf)] [j 0 n chunk]
        (max most (max (load x [row j] [1 chunk] :else -inf) :axis 1 :keep true))))
      (def total (fold [total (zeros f32 [1 1])] [j 0 n chunk]
        (def e (exp (- (load x [row j] [1 chunk] :else -inf) most)))
        (store e y [row j])
        (+ total (sum e :axis 1 :keep true))))
      (def scale (/ 1.0 total))
      (for [j 0 n chunk] (store (* (load y [row j] [1 chunk]) scale) y [row j])))
    (do
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
        after))))

; Several rows a block, for short rows. Columns past the end are 0 in the sums, and so are their differences.
(deftile layer-norm {:const [rows columns] :warps 4 :tune {:rows [4 1 2 8] :warps [4 1 2 8]}}
  [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def i (* rows (program-id 0)))
  (def n (memref.dim x 1))
  (def size (cast f32 n))
  (def v (load x [i 0] [rows columns]))
  (def mean (/ (sum v :axis 1 :keep true) size))
  (def d (where (< (iota index [columns]) n) (- v mean) 0.0))
  (def variance (/ (sum (* d d) :axis 1 :keep true) size))
  (store (+ (* d (rsqrt (+ variance 1e-5)) (load weight [0] [columns])) (load bias [0] [columns])) y [i 0]))

; Seeds: measured on an H200 (sm_90a); for other chips the same but where their warps are of 64 lanes, not measured.
; Five chunks of 10,240 have few lanes without numbers at 50,257 columns: seven of 8,192 take up to 6 % more time.
(tuned softmax-chunks {:const {:chunk 10240 :exponentials 2 :warps 16}})
(tuned softmax-chunks
  {:const {:chunk 10240 :exponentials 2 :warps 16} :targets [sm_90a] :sizes [8192 50257 8192 50257] :us 1034})
(tuned softmax-chunks {:const {:chunk 10240 :exponentials 2 :warps 8} :targets [gfx942]})
(tuned softmax-chunks {:const {:chunk 512 :exponentials 1} :targets [cpu]}) ; Chunks stay in the first cache.
(tuned layer-norm {:const {:rows 4 :warps 4}})
(tuned layer-norm {:const {:rows 1 :warps 2} :targets [sm_90a] :sizes [65536 768 768 768 65536 768] :us 99.1})

; Attention forward as a tile program, for attention.lisp and for the ladder of examples/kernels.
; RUN: lispier check %s
(require-dialect memref)

; Row i sees column j if j <= i, when causal, and i - j < window. Rows that have seen nothing so far have the maximum
; -1e30, not -inf: exp(-inf - -inf) is no number.
(deftile attention {:const [bm bn d causal] :warps 4 :stages 2}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xf32>)
   (: lse memref<?x?xf32>) (: scale f32) (: window index)]
  (def i (* bm (program-id 0)))
  (def h (program-id 1))
  (def shared (/ h (/ (memref.dim q 0) (memref.dim k 0))))
  (def time (memref.dim k 1))
  (def first (* bn (/ (max 0 (- (+ i 1) window)) bn)))
  (def end (if (= causal 1) (min time (+ i bm)) time))
  (def row (+ i (iota index [bm 1] :axis 0)))
  (def queries (load q [h i 0] [bm d]))
  (def [most total sums]
    (fold [most (full f32 [bm 1] -1e30) total (zeros f32 [bm 1]) sums (zeros f32 [bm d])] [j first end bn]
      (def column (+ j (iota index [bn])))
      (def seen (and (< column time) (< (- row column) window) (or (= causal 0) (<= column row))))
      (def s (where seen (* scale (dot queries (load k [shared j 0] [bn d]) :transpose-b true)) -inf))
      (def next (max most (max s :axis 1 :keep true)))
      (def p (exp (- s next)))
      (def shrink (exp (- most next)))
      [next
       (+ (* total shrink) (sum p :axis 1 :keep true))
       (dot (cast bf16 p) (load v [shared j 0] [bn d]) (* sums shrink))]))
  (store (/ sums total) o [h i 0])
  (store (reshape (+ most (log total)) [bm]) lse [h i]))

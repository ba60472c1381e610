; Attention forward with online softmax: causal or not, fewer heads of keys than of queries, a sliding window.
; q: [heads, time, d], k and v: [heads or fewer, time, d]; o as q; lse: [heads, time], the log of the sum of
; exp(scores), which the backward pass reads.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check] ["./heads.lisp" :as heads])

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

(defn forward [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xf32>)
               (: lse memref<?x?xf32>) (: causal index) (: window index)]
  (launch attention
    {:grid [(/ (+ (memref.dim q 1) 15) 16) (memref.dim q 0)]
     :const {:bm 16 :bn 16 :d (next-power-of-2 (memref.dim q 2) :among [32 64]) :causal (causal :among [0 1])}}
    q k v o lse (heads/score-scale q) window))

(defn test [(: name !llvm.ptr) (: few index) (: causal index) (: window index)]
  (def time (: 45 index))
  (def q (heads/random-heads 1 4 time 32))
  (def k (heads/random-heads 2 few time 32))
  (def v (heads/random-heads 3 few time 32))
  (def o (memref.alloc {:result memref<?x?x?xf32>} (: 4 index) time (: 32 index)))
  (def lse (check/matrix 4 time))
  (forward q k v o lse causal window)
  (def probabilities (check/matrix time time))
  (def expected (check/matrix time 32))
  (def got (check/matrix time 32))
  (def worst (fold [worst (: 0.0 f32)] [h 0 4]
    (def shared (/ h (/ 4 few)))
    (heads/probabilities q k probabilities h shared causal window)
    (for [i 0 time] (for [x 0 32]
      (memref.store (memref.load o h i x) got i x)
      (memref.store (fold [s (: 0.0 f32)] [j 0 time]
                      (+ s (* (memref.load probabilities i j) (cast f32 (memref.load v shared j x)))))
                    expected i x)))
    (max worst (check/largest-difference got expected))))
  ; Probabilities are rounded to 16 bits before the product by v: 2^-9 of at most 1.
  (check/report name worst 4e-3))

; CHECK: all: ok
; CHECK: causal: ok
; CHECK: grouped heads: ok
; CHECK: sliding window: ok
(defn main []
  (test (cstring "all") 4 0 1000)
  (test (cstring "causal") 4 1 1000)
  (test (cstring "grouped heads") 2 1 1000)
  (test (cstring "sliding window") 4 1 7))

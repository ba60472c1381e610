; Attention forward with online softmax: causal or not, fewer heads of keys than of queries, a sliding window.
; q: [heads, time, d], k and v: [heads or fewer, time, d]; o as q; lse: [heads, time], the log of the sum of
; exp(scores), which the backward pass reads (attention-tiles.lisp).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check] ["./heads.lisp" :as heads] ["./attention-tiles.lisp" :as attention-tiles])

(defn forward [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xf32>)
               (: lse memref<?x?xf32>) (: causal index) (: window index)]
  (launch attention-tiles/attention
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
  ; Probabilities are rounded to 16 bits before the product by v: 2^-8 of each, which add up to 1.
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

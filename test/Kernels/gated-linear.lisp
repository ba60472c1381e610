; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s

; Gated products of nn.norm_linear against the same written out as loops, through memory whose elements may be apart,
; which no template takes: rows that the lanes of several warps hold in registers, and rows that do not end with a
; vector. Numbers of weights are below 1 and those of the normalised input below 4, so that each of the two sums, of K
; terms in another order, differs by less than K 2^-22, and is below 4 sqrt(K) nearly always, as is the other by which
; it is multiplied. A BF16 input is rounded the same way in both, or to its neighbour, 2^-8 away.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

(defmacro define-check [name B rounding centred biased]
  (let [h (if centred `[h] [])
        bias (if biased `[bias] [])
        residual (if biased `[residual] [])
        row (fn [T] (str "memref<1x?x" T ">"))]
    `(defn ~name [(: K index) (: N index)]
       (def x (cast ~(row `f32) (new-rows f32 (: 1 index) K 1)))
       (def g (new-row bf16 K 2))
       (def h (new-row bf16 K 3))
       (def w (new-rows bf16 (* 2 N) K 4))
       (def bias (new-row bf16 (* 2 N) 5))
       (def normed (cast ~(row B) (new-rows ~B (: 1 index) K 6)))
       (def residual (cast ~(row `f32) (new-rows f32 (: 1 index) N 9)))
       (def a (cast ~(row `f32) (new-rows f32 (: 1 index) N 7)))
       (def b (cast ~(row `f32) (new-rows f32 (: 1 index) N 8)))
       (nn.norm_linear {:activation "silu" :constant_weights true :gated true} x g ~h (: 1e-5 f32) normed w ~bias
         ~residual a)
       (nn.norm_linear {:activation "silu" :gated true} (cast "memref<1x?xf32, strided<[?, ?], offset: ?>>" x) g ~h
         (: 1e-5 f32) normed w ~bias ~residual b)
       (def most
         (fold [most (: 0.0 f32)] [j 0 N]
           (max most (math.absf (- (memref.load a 0 j) (memref.load b 0 j))))))
       (def k (cast f32 K))
       (def tolerance (* k (: ~rounding f32) (: 8.0 f32) (math.sqrt k)))
       (if (<= most tolerance)
           (println "ok")
           (println "%ld %ld differs by %g" (cast i64 K) (cast i64 N) (cast f64 most))))))
(define-check layer-check f32 2.4e-7 true true)
(define-check rms-check f32 2.4e-7 false false)
(define-check bf16-check bf16 4.0e-3 false true)

; CHECK-COUNT-10: ok
; CHECK-NOT: differs
(defn main []
  (layer-check 768 31)
  (layer-check 77 9)
  (layer-check 2048 7)
  (rms-check 576 37)
  (rms-check 77 9)
  (rms-check 2048 9)
  (rms-check 5008 5)
  (bf16-check 768 5)
  (bf16-check 2048 5)
  (bf16-check 77 9))

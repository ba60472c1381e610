; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s

; Products of one token with two or three matrices in one launch, nn.linears and nn.norm_linears, against an op for each:
; rows that the lanes of a warp or of several hold in registers, rows that do not end with a vector, and rows that only
; a block's memory holds; more rows than one round of blocks has; no rows. Sums of K terms below 4 in another order differ
; by less than K 2^-22, and by more where all terms have one sign, as without a norm; a BF16 input is rounded the same
; way in both, or to its neighbour, 2^-8 away.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

(defmacro one-row [A N seed] `(cast ~(str "memref<1x?x" A ">") (new-rows ~A (: 1 index) ~N ~seed)))

(defmacro difference [a b N]
  `(fold [most# (: 0.0 f32)] [j# 0 ~N] (max most# (math.absf (- (memref.load ~a 0 j#) (memref.load ~b 0 j#))))))

; `norm`: the type of the normalised input, or false. `ws`, `biases`: which there are.
(defmacro define-check [name norm rounding centred three biased]
  (let [h (if centred `[h] [])
        parts (if three [1 2 3] [1 2])
        of (fn [prefix i] (symbol (str prefix i)))
        bias (fn [i] (if biased [(of "bias" i)] []))
        input (if norm `[x g ~h (: 1e-5 f32) normed] `[x])]
    `(defn ~name [(: K index) (: N1 index) (: N2 index) (: N3 index)]
       (def x (one-row f32 K 1))
       (def g (new-row bf16 K 2))
       (def h (new-row bf16 K 3))
       (def normed (one-row ~(if norm norm `f32) K 6))
       ~@(apply concat (map (fn [i]
           [`(def ~(of "w" i) (new-rows bf16 ~(of "N" i) K ~(+ 10 i)))
            `(def ~(of "bias" i) (new-row bf16 ~(of "N" i) ~(+ 20 i)))
            `(def ~(of "a" i) (one-row f32 ~(of "N" i) 7))
            `(def ~(of "b" i) (one-row f32 ~(of "N" i) 8))]) parts))
       (~(if norm `nn.norm_linears `nn.linears) {:constant_weights true} ~@input w1 w2 ~(if three `[w3] [])
         ~(bias 1) ~(bias 2) ~(if three (bias 3) []) a2 ~(if three `[a3] []) a1)
       ~@(map (fn [i]
           `(~(if norm `nn.norm_linear `nn.linear) ~@input ~(of "w" i) ~(bias i) [] ~(of "b" i))) parts)
       (def most ~(reduce (fn [most i] `(max ~most (difference ~(of "a" i) ~(of "b" i) ~(of "N" i)))) `(: 0.0 f32) parts))
       (if (<= most (* (cast f32 K) (: ~rounding f32)))
           (println "ok")
           (println "%ld %ld %ld %ld differs by %g" (cast i64 K) (cast i64 N1) (cast i64 N2) (cast i64 N3)
                    (cast f64 most))))))
(define-check linears false 1.0e-6 false true true)
(define-check two-linears false 1.0e-6 false false false)
(define-check layer-norms f32 2.4e-7 true true true)
(define-check rms-norms f32 2.4e-7 false true false)
(define-check two-rms-norms f32 2.4e-7 false false true)
(define-check bf16-norms bf16 4.0e-3 true true true)

; CHECK-COUNT-14: ok
; CHECK-NOT: differs
(defn main []
  (linears 768 31 16 9)
  (linears 77 9 1 40)
  (linears 2048 5 0 7)
  (linears 9000 3 2 5)
  (two-linears 768 31 70 0)
  (two-linears 13 2 1 0)
  (layer-norms 768 31 16 9)
  (layer-norms 77 9 3 2)
  (rms-norms 2048 9 3 5)
  (rms-norms 16 6400 300 1)
  (rms-norms 768 3 64 40)
  (two-rms-norms 576 37 9 0)
  (bf16-norms 1024 7 3 5)
  (bf16-norms 77 9 3 2))

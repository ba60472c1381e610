; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; CHECK-COUNT-12: ok
; CHECK-NOT: differ

; nn.norm_product against a layer norm and a product through memory whose elements may be apart, which no template
; takes, in sizes that end inside the tiles of GPUs' kernels; tools/dev/gpu-check runs it there. Rows of weights, and the
; norm, also have factors far beyond what F16 has.
; Tolerance: both results are rounded to 2^-8, and K numbers of a normalised row to 2^-11, of which the errors are as
; likely up as down: five standard deviations of their sum, 0.19 2^-11 K^0.5 each. With rows of BF16 it would be eight
; times as much.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

; far: row n of the weights, and its bias, are multiplied by 2^(30 (n mod 5 - 2)), and the norm by 2^17.
(defmacro power [n] `(math.exp2 (* (: 30.0 f32) (- (cast f32 (% (cast i64 ~n) (: 5 i64))) (: 2.0 f32)))))
(defmacro define-check [name activation bias residual far]
  `(defn ~name [(: T index) (: N index) (: K index)]
     (def x (new-rows f32 T K 1))
     (def g (new-row bf16 K 2))
     (def h (new-row bf16 K 3))
     (def w (new-rows bf16 N K 4))
     (def bias (new-row bf16 N 5))
     (def normed (new-rows f32 T K 6))
     (def a (new-rows bf16 T N 7))
     (def b (new-rows bf16 T N 7))
     (def factors (memref.alloc {:result memref<?xbf16> :alignment 64} (+ (* 2 N) (* (+ T N) (+ K 8)))))
     ~@(if far
         [`(for [k 0 K]
             (memref.store (cast bf16 (* (: 131072.0 f32) (cast f32 (memref.load g k)))) g k)
             (memref.store (cast bf16 (* (: 131072.0 f32) (cast f32 (memref.load h k)))) h k))
          `(for [n 0 N]
             (memref.store (cast bf16 (* (: 131072.0 f32) (power n) (cast f32 (memref.load bias n)))) bias n)
             (for [k 0 K] (memref.store (cast bf16 (* (power n) (cast f32 (memref.load w n k)))) w n k)))]
         [])
     (def apart (cast "memref<?x?xf32, strided<[?, ?], offset: ?>>" x))
     (def b-apart (cast "memref<?x?xbf16, strided<[?, ?], offset: ?>>" b))
     (nn.norm_product {:activation ~activation :constant_weights true} x g h (: 1e-5 f32) factors w ~bias
       [~@(if residual [`a] [])] a)
     (nn.layer_norm apart g h normed (: 1e-5 f32))
     (nn.linear {:activation ~activation} normed w ~bias [~@(if residual [`b-apart] [])] b-apart)
     (def wrong
       (fold [wrong (: 0 i64)] [i 0 T]
         (fold [wrong wrong] [j 0 N]
           (def y (cast f32 (memref.load b i j)))
           (def least (* ~(if far `(* (: 131072.0 f32) (power j)) `(: 1.0 f32))
                         (+ (: 1.0e-5 f32) (* (: 4.8e-4 f32) (math.sqrt (cast f32 K))))))
           (if {:result i64} (<= (math.absf (- (cast f32 (memref.load a i j)) y))
                                 (+ least (* (: 0.0079 f32) (math.absf y))))
             wrong (+ wrong (: 1 i64))))))
     (if (= wrong (: 0 i64)) (println "ok")
       (println "%ld x %ld x %ld: %ld numbers differ" (cast i64 T) (cast i64 N) (cast i64 K) wrong))))
(define-check plain "none" [bias] false false)
(define-check gelu "gelu_tanh" [bias] false false)
(define-check added "none" [] true false)
(define-check far "none" [bias] false true)

(defn main []
  (plain (: 130 index) (: 200 index) (: 136 index))
  (plain (: 33 index) (: 51 index) (: 13 index))
  (plain (: 2 index) (: 8 index) (: 1 index))
  (gelu (: 129 index) (: 192 index) (: 64 index))
  (gelu (: 65 index) (: 98 index) (: 77 index))
  (added (: 65 index) (: 96 index) (: 72 index))
  (added (: 100 index) (: 101 index) (: 1100 index))
  (far (: 66 index) (: 104 index) (: 136 index))
  (far (: 70 index) (: 99 index) (: 77 index))
  ; So large that an sm_90a takes its larger tiles.
  (plain (: 600 index) (: 1340 index) (: 136 index))
  (gelu (: 641 index) (: 2600 index) (: 72 index))
  (far (: 600 index) (: 1341 index) (: 129 index)))

; RUN: env LISPIER_THREADS=1 lispier run --cpu=cooperlake %s > %t.1
; RUN: FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=2 lispier run --cpu=cooperlake %s > %t.2
; RUN: cmp %t.1 %t.2
; RUN: env LISPIER_THREADS=5 lispier run --cpu=cooperlake %s > %t.5
; RUN: cmp %t.1 %t.5
; REQUIRES: avx512-bf16

; Many tokens by pairs of BF16 numbers: packed products with all kinds of rests, and attention in tiles. The reference is
; the op on a view that no template takes.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/report.lisp" "Inputs/attention.lisp")

; Tolerance: as in linear.lisp, and results in BF16 are rounded to 2^-8 of them. Numbers of x fit BF16 but for two in each
; row, which are large and have opposite signs and equal weights: without their second terms a result would be wrong by
; up to 0.24. They keep 2^-17 of themselves.
(defmacro define-linear [name A O activation rounding]
  `(defn ~name [(: T index) (: K index) (: N index)]
     (def x (new-rows bf16 T K 1))
     (def rows (memref.alloc {:result ~(str "memref<?x?x" A ">")} T K))
     (for [t 0 T] (for [k 0 K] (memref.store (cast ~A (memref.load x t k)) rows t k)))
     (def w (new-rows bf16 N K 2))
     (for [t 0 T]
       (memref.store (cast ~A (: 40.37 f32)) rows t (% t K))
       (memref.store (cast ~A (: -40.13 f32)) rows t (% (+ t 7) K)))
     (for [n 0 N] (for [k 0 K] (memref.store (memref.load w n (% k 7)) w n k)))
     (def bias (memref.alloc {:result memref<?xbf16>} N))
     (for [n 0 N] (memref.store (cast bf16 (random 3 n n)) bias n))
     (def a (new-rows ~O T N 4))
     (def b (new-rows ~O T N 4))
     (def any (cast ~(str "memref<?x?x" O ", strided<[?, ?], offset: ?>>") b))
     (def k (cast f32 K))
     (def allowed (+ (* (* k (math.sqrt k)) (: 6.0e-8 f32)) (: 6.2e-4 f32)))
     (nn.linear {:activation ~activation} [rows] [w] [bias] [a] [a])
     (nn.linear {:activation ~activation} [rows] [w] [bias] [any] [any])
     (report a b allowed ~rounding)
     (nn.linear {:activation ~activation} [rows] [w] [] [] [a])
     (nn.linear {:activation ~activation} [rows] [w] [] [] [any])
     (report a b allowed ~rounding)))
(define-linear linear f32 bf16 "none" 0.008)
(define-linear linear-gelu f32 bf16 "gelu_tanh" 0.008)
(define-linear linear-bf16 bf16 f32 "relu" 0.0)
(define-linear linear-silu bf16 bf16 "silu" 0.008)

; Weights in BF16 differ by at most 2^-8 of themselves and add up to 1; values are below 1.
(defmacro in-bf16 [D] `(: 0.008 f32))
(define-attention attention-cached bf16 true {} in-bf16)
(define-attention attention-among bf16 false {:window 70} in-bf16)
(define-attention attention-all bf16 false {:mask "none"} in-bf16)

(defn main []
  ; CHECK-COUNT-16: sum {{[^ ]+}}: 0 wrong
  ; CHECK-NOT: wrong
  (linear (: 33 index) (: 96 index) (: 64 index))
  (linear (: 200 index) (: 3080 index) (: 70 index))
  (linear (: 37 index) (: 50 index) (: 3 index))
  (linear-gelu (: 65 index) (: 200 index) (: 100 index))
  (linear-bf16 (: 100 index) (: 65 index) (: 31 index))
  (linear-bf16 (: 32 index) (: 768 index) (: 33 index))
  (linear-silu (: 96 index) (: 64 index) (: 129 index))
  (linear-silu (: 31 index) (: 64 index) (: 129 index))
  ; CHECK-COUNT-7: {{ ok$}}
  (attention-cached 70 1 1 40 128 3)
  (attention-cached 32 2 2 64 1056 1024)
  (attention-cached 16 2 1 80 100 21)
  (attention-cached 15 2 1 64 100 21)
  (attention-all 40 4 2 64 75 0)
  (attention-among 80 2 2 64 80 0)
  (attention-among 40 2 1 128 75 30))

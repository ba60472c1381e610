; RUN: env LISPIER_THREADS=1 lispier run %s > %t.1
; RUN: FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=2 lispier run %s > %t.2
; RUN: cmp %t.1 %t.2
; RUN: env LISPIER_THREADS=5 lispier run %s > %t.5
; RUN: cmp %t.1 %t.5
; REQUIRES: amx

; What the templates in AMX tiles do beyond the sizes of linear.lisp and attention.lisp:
; more than one block of 32 tokens and one round of them, all kinds of rests, BF16
; results, infinite numbers, and tokens that stand in two blocks of 1024 positions. The
; reference is the op on a view that no template takes.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/report.lisp" "Inputs/attention.lisp")

; Tolerance: as in linear.lisp, and BF16 results are rounded to 2^-8 of them.
(defmacro define-linear [name A O activation rounding]
  `(defn ~name [(: T index) (: K index) (: N index) (: first f32)]
     (def x (new-rows ~A T K 1))
     (memref.store (cast ~A first) x (/ T 2) 0)
     (def w (new-rows bf16 N K 2))
     (def bias (memref.alloc {:result memref<?xbf16>} N))
     (for [n 0 N] (memref.store (cast bf16 (random 3 n n)) bias n))
     (def a (new-rows ~O T N 4))
     (def b (new-rows ~O T N 4))
     (def any (cast ~(str "memref<?x?x" O ", strided<[?, ?], offset: ?>>") b))
     (nn.linear {:activation ~activation} [x] [w] [bias] [a] [a])
     (nn.linear {:activation ~activation} [x] [w] [bias] [any] [any])
     (def k (cast f32 K))
     (def allowed (+ (* (* k (math.sqrt k)) (: 6.0e-8 f32)) (: 4.0e-6 f32)))
     (report a b allowed ~rounding)
     (nn.linear {:activation ~activation} [x] [w] [] [] [a])
     (nn.linear {:activation ~activation} [x] [w] [] [] [any])
     (report a b allowed ~rounding)))
(define-linear linear f32 f32 "none" 0.0)
(define-linear linear-gelu f32 bf16 "gelu_tanh" 0.008)
(define-linear linear-bf16 bf16 f32 "relu" 0.0)
(define-linear linear-silu bf16 bf16 "silu" 0.008)

; Weights differ by less than 2^-15 of themselves, and values are below 1.
(defmacro in-terms [D] `(: 3.0e-5 f32))
(defmacro in-bf16 [D] `(: 0.008 f32))
(define-attention attention f32 true {} in-terms)
(define-attention attention-bf16 bf16 true {} in-bf16)
(define-attention attention-window f32 true {:window 40 :scale 0.2} in-terms)
(define-attention attention-all f32 false {:mask "none"} in-terms)
(define-attention attention-among bf16 false {:window 70} in-bf16)

(defn main []
  ; CHECK-COUNT-16: sum {{[^ ]+}}: 0 wrong
  ; CHECK-NOT: wrong
  (linear (: 33 index) (: 96 index) (: 64 index) (: 0.5 f32))
  (linear (: 200 index) (: 3080 index) (: 70 index) (: 0.5 f32))
  (linear (: 20 index) (: 64 index) (: 33 index) (: +inf f32))
  (linear-gelu (: 65 index) (: 200 index) (: 100 index) (: 0.5 f32))
  (linear-bf16 (: 100 index) (: 65 index) (: 31 index) (: 0.5 f32))
  (linear-silu (: 96 index) (: 64 index) (: 129 index) (: 0.5 f32))
  ; CHECK-COUNT-9: {{ ok$}}
  (attention 40 3 3 64 1100 1000)
  (attention 100 2 1 80 100 0)
  (attention-bf16 70 1 1 40 128 3)
  (attention-bf16 32 2 2 64 1056 1024)
  (attention-window 100 2 1 64 300 150)
  (attention-window 33 2 2 96 1200 1100)
  (attention-all 40 4 2 64 75 0)
  (attention-among 80 2 2 64 80 0)
  (attention-among 40 2 1 128 75 30))

; RUN: env LISPIER_THREADS=1 lispier run %s > %t.1
; RUN: FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=2 lispier run %s > %t.2
; RUN: cmp %t.1 %t.2
; RUN: lispier run --target=sim %s > %t.sim
; RUN: FileCheck %s --check-prefix=SIM < %t.sim
; RUN: lispier run --target=sim:64 %s | FileCheck %s --check-prefix=SIM
; SIM-COUNT-32: ok
; SIM-NOT: differs
; RUN: lispier run --cpu=x86-64-v3 %s | FileCheck %s
; RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS
; REQUIRES: avx2

; The template of nn.linear against the op written out as loops, for one and for
; several tokens, with and without a rest after the last 16 inputs and the last 4
; and 16 outputs, with and without bias and residual, which may be the result.
; A view whose columns may be apart is taken by no template: so the second op of
; each pair is the reference.
; LOOPS-COUNT-8: call @__template_nn.linear
; LOOPS-NOT: call @__template_nn.linear
; Tolerance: K products below 1 summed in two orders, each partial sum below
; sqrt(K) nearly always: K 2^-24 sqrt(K), and 4 units of the last place of the
; activation and of the largest result, below 2^5.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

; Prints the sum of the results, the same for any number of threads, and ok.
(defn report [(: T index) (: K index) (: N index) (: a "memref<?x?xf32>") (: b "memref<?x?xf32>")]
  (def k (cast f32 K))
  (def tolerance (+ (* (* k (math.sqrt k)) (: 6.0e-8 f32)) (: 4.0e-6 f32)))
  (def [most sum]
    (fold [most (: 0.0 f32) sum (: 0.0 f64)] [i 0 T]
      (fold [m most s sum] [j 0 N]
        [(max m (math.absf (- (memref.load a i j) (memref.load b i j)))) (+ s (cast f64 (memref.load a i j)))])))
  (print "%ld %ld %ld %.17g " (cast i64 T) (cast i64 K) (cast i64 N) sum)
  (if (<= most tolerance) (print "ok\n") (print "differs by %g, allowed %g\n" (cast f64 most) (cast f64 tolerance))))

(defmacro define-check [name A W activation]
  `(defn ~name [(: T index) (: K index) (: N index)]
     (def x (new-rows ~A T K 1))
     (def w (new-rows ~W N K 2))
     (def bias (new-row ~W N 3))
     (def a (new-rows f32 T N 4))
     (def b (new-rows f32 T N 4))
     (def any (cast "memref<?x?xf32, strided<[?, ?], offset: ?>>" b))
     (nn.linear {:activation ~activation} [x] [w] [bias] [a] [a])
     (nn.linear {:activation ~activation} [x] [w] [bias] [any] [any])
     (report T K N a b)
     (nn.linear {:activation ~activation} [x] [w] [] [] [a])
     (nn.linear {:activation ~activation} [x] [w] [] [] [any])
     (report T K N a b)))
(define-check check f32 bf16 "#nn<activation none>")
(define-check check-gelu f32 bf16 "#nn<activation gelu_tanh>")
(define-check check-relu f32 f32 "#nn<activation relu>")
(define-check check-silu bf16 bf16 "#nn<activation silu>")

(defn check-all [(: T index)]
  (check T (: 128 index) (: 48 index))
  (check-gelu T (: 67 index) (: 21 index))
  (check-relu T (: 5 index) (: 3 index))
  (check-silu T (: 300 index) (: 302 index)))

(defn main []
  ; CHECK-COUNT-8: {{^1 .* ok$}}
  (check-all (: 1 index))
  ; CHECK-COUNT-8: {{^2 .* ok$}}
  (check-all (: 2 index))
  ; CHECK-COUNT-8: {{^7 .* ok$}}
  (check-all (: 7 index))
  ; CHECK-COUNT-8: {{^64 .* ok$}}
  (check-all (: 64 index)))

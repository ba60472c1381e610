; RUN: lispier run %s | FileCheck %s
; CHECK-COUNT-36: ok
; CHECK-NOT: differs

; nn.linear and nn.attention of many tokens against the ops written out as loops, in sizes that end inside the tiles of
; GPUs' kernels; tools/dev/gpu-check runs it there. A view whose columns may be apart is taken by no template: so the second
; op of each pair is the reference.
; Tolerance of nn.linear: K products below 1 in two orders, and on tensor cores F32 numbers as two BF16 terms, which leave
; out 2^-18: K (2^-18 + K^0.5 2^-24). A BF16 result is rounded to 2^-8. That of nn.attention: weights are BF16 there.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/attention.lisp")

(defmacro compare [T C a b allowed]
  `(let [wrong (fold [wrong (: 0 i64)] [i 0 ~T]
                 (fold [wrong wrong] [j 0 ~C]
                   (def x (cast f32 (memref.load ~a i j)))
                   (def y (cast f32 (memref.load ~b i j)))
                   (if {:result i64} (<= (math.absf (- x y)) (~allowed y)) wrong (+ wrong (: 1 i64)))))]
     (if (= wrong (: 0 i64)) (print "ok\n") (print "%ld numbers differ\n" wrong))))

; constant: whether the op has constant_weights.
(defmacro define-linear [name A O activation bias residual constant]
  `(do
     (defmacro ~(symbol (str name "-allowed")) [y]
       `(+ (: ~~(if (= O `f32) 0.0 0.00001) f32)
           (* (cast f32 K) (+ (: 3.9e-6 f32) (* (math.sqrt (cast f32 K)) (: 6.0e-8 f32))))
           (* (math.absf ~y) (: ~~(if (= O `f32) 0.0 0.0079) f32))))
     (defn ~name [(: T index) (: N index) (: K index)]
       (def x (new-rows ~A T K 1))
       (def w (new-rows bf16 N K 2))
       (def bias (new-row bf16 N 3))
       (def a (new-rows ~O T N 4))
       (def b (new-rows ~O T N 4))
       (def any (cast ~(str "memref<?x?x" O ", strided<[?, ?], offset: ?>>") b))
       (nn.linear ~(if constant `{:activation ~activation :constant_weights true} `{:activation ~activation})
                  [x] [w] ~bias [~@(if residual [`a] [])] [a])
       (nn.linear {:activation ~activation} [x] [w] ~bias [~@(if residual [`any] [])] [any])
       (print "%ld x %ld x %ld: " (cast i64 T) (cast i64 N) (cast i64 K))
       (compare T N a b ~(symbol (str name "-allowed"))))))
(define-linear plain bf16 bf16 "none" [bias] false true)
(define-linear gelu bf16 bf16 "gelu_tanh" [bias] false true)
(define-linear add bf16 f32 "none" [bias] true false)
(define-linear silu bf16 bf16 "silu" [] true false)
(define-linear exact f32 f32 "relu" [bias] true true)

(defmacro bf16-weights [D] `(: 0.012 f32))
(defmacro two-terms [D] `(: 0.0001 f32))
(define-attention attend bf16 true {} bf16-weights)
(define-attention attend-scaled bf16 true {:scale 0.3} bf16-weights)
(define-attention attend-among bf16 false {} bf16-weights)
(define-attention attend-window bf16 true {:window 100} bf16-weights)
(define-attention attend-all bf16 false {:mask "none"} bf16-weights)
(define-attention attend-exact f32 true {} two-terms)
(define-attention attend-exact-among f32 false {} two-terms)

; So many heads that an sm_90a has a team of warps for each block.
(defmacro define-many-heads [name A H G D allowed]
  (let [type (fn [heads] (str "memref<?x" heads "x" D "x" A ">"))
        rows (fn [heads seed] `(memref.cast {:result ~(type heads)}
                                 (new-cache ~A T (: ~heads index) (: ~D index) ~seed)))]
    `(defn ~name [(: T index)]
       (def q ~(rows H 1))
       (def k ~(rows G 2))
       (def v ~(rows G 3))
       (def a ~(rows H 4))
       (def b ~(rows H 5))
       (nn.attention [q] [k] [v] [] [] [] [] a)
       (nn.attention [q] [k] [v] [] [] [] [] (cast ~(str "memref<?x?x?x" A ", strided<[?, ?, ?], offset: ?>>") b))
       (def most
         (fold [most (: 0.0 f32)] [t 0 T]
           (fold [most most] [h 0 ~H]
             (fold [most most] [d 0 ~D]
               (arith.maximumf most (math.absf (- (cast f32 (memref.load a t h d)) (cast f32 (memref.load b t h d)))))))))
       (print "%ld tokens, many heads: " (cast i64 T))
       (if (<= most (~allowed ~D)) (print "ok\n") (print "differs by %g\n" (cast f64 most))))))
(define-many-heads many bf16 400 200 64 bf16-weights)
(define-many-heads many-long bf16 200 200 128 bf16-weights)
(define-many-heads many-exact f32 400 400 64 two-terms)

(defn main []
  (plain (: 130 index) (: 200 index) (: 136 index))
  (plain (: 33 index) (: 51 index) (: 13 index))
  (gelu (: 129 index) (: 192 index) (: 64 index))
  (add (: 65 index) (: 96 index) (: 72 index))
  (add (: 100 index) (: 98 index) (: 200 index))
  (silu (: 70 index) (: 100 index) (: 40 index))
  (exact (: 67 index) (: 97 index) (: 136 index))
  (exact (: 66 index) (: 104 index) (: 77 index))
  ; So large that an sm_90a takes its larger tiles.
  (plain (: 600 index) (: 1340 index) (: 136 index))
  (plain (: 641 index) (: 2600 index) (: 72 index))
  (exact (: 600 index) (: 1340 index) (: 136 index))
  (exact (: 641 index) (: 2600 index) (: 72 index))
  (attend 65 2 2 64 130 63)
  (attend 200 3 3 64 256 1)
  (attend 66 4 2 64 130 63)
  (attend 70 1 1 128 300 200)
  (attend 130 4 1 128 300 150)
  (attend 9 2 2 20 30 7)
  (attend 90 4 2 80 200 70)
  (attend 70 2 1 96 200 70)
  (attend 70 1 1 160 200 70)
  (attend-scaled 70 2 1 64 200 70)
  (attend-among 150 4 2 64 150 0)
  (attend-among 150 4 2 128 150 0)
  (attend-among 70 4 2 64 150 80)
  (attend-window 200 4 2 128 300 90)
  (attend-window 200 2 2 64 300 90)
  (attend-all 100 2 1 64 170 0)
  (attend-exact 130 2 2 64 200 70)
  (attend-exact 70 6 2 64 200 70)
  (attend-exact 20 2 2 128 64 3)
  (attend-exact 70 2 1 80 200 70)
  (attend-exact-among 130 4 2 64 130 0)
  (many (: 40 index))
  (many-long (: 70 index))
  (many-exact (: 40 index)))

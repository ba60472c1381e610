; On a CPU, attention whose scores are changed in a way that nn.attention cannot compute is a loop over heads and blocks
; of 64 tokens. Its scores are in a buffer of the thread, one chunk of positions after the other.
; RUN: lispier --emit=tiles %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=tiles --explain %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
; RUN: env LISPIER_THREADS=1 lispier run %s > %t.1 && FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=3 lispier run %s > %t.3 && cmp %t.1 %t.3

; EXPLAIN-DAG: kernel known_0: blocks of 64 tokens, in chunks of 256 positions
; EXPLAIN-DAG: kernel few_0: its ops one after the other, since it has few tokens

; Few tokens, of a number that only the run knows, are three steps, as before. A causal mask ends the loop over positions.
; TILES-LABEL: func.func @causal(
; TILES-SAME: %[[Q:[a-z0-9]+]]: memref<?x?x40xbf16>
; TILES: %[[T:.*]] = memref.dim %[[Q]], %c0
; TILES: %[[MANY:.*]] = arith.cmpi uge, %[[T]], %c8
; TILES: %[[PAYS:.*]] = arith.andi %[[MANY]], %{{.*}} : i1
; TILES: scf.if %[[PAYS]] {
; TILES: scf.parallel (%{{.*}}, %[[AT:.*]]) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %[[T]]) step (%{{.*}}, %c64)
; TILES-NOT: memref.alloc(
; TILES: %[[ROWS:.*]] = arith.minui %{{.*}}, %c64
; TILES: %[[BEFORE:.*]] = arith.subi %[[ROWS]], %c1
; TILES: %[[LAST:.*]] = arith.addi %[[AT]], %[[BEFORE]]
; TILES: %[[NEXT:.*]] = arith.addi %[[LAST]], %c1
; TILES: %[[END:.*]] = arith.minsi %{{.*}}, %[[NEXT]]
; TILES: scf.for %{{.*}} = %{{.*}} to %[[END]] step %c512
; TILES: arith.maximumf
; TILES: math.exp
; TILES: %[[TINY:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
; TILES: %[[BELOW:.*]] = arith.select %[[TINY]]
; TILES: math.exp %[[BELOW]]
; TILES: } else {
; TILES: memref.alloc(
(defn causal [(: q (tensor t h 40 bf16)) (: k (tensor s h 40 bf16)) (: v (tensor s h 24 bf16)) (: b (tensor t s f32))]
  -> (tensor t h 24 bf16)
  (def seen (<= (iota i32 [s]) (iota i32 [t 1] :axis 0)))
  (cast bf16 (einsum "hts,shd->thd" (softmax (where seen (+ b (einsum "thd,shd->hts" q k :out f32)) -inf)) v :out f32)))

; Of sizes that types have, one of the two remains.
; TILES-LABEL: func.func @known(
; TILES-NOT: scf.if
; TILES: scf.parallel
; TILES: memref.alloca() {{.*}} memref<64x256xf32>
; TILES-NOT: arith.minui
; TILES: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c256
(defn known [(: q (tensor 128 2 64 f32)) (: k (tensor 512 2 64 f32)) (: v (tensor 512 2 64 f32)) (: b (tensor 128 512 f32))]
  (einsum "hts,shd->thd" (softmax (+ b (einsum "thd,shd->hts" q k))) v))

; Few tokens, one block, and heads that are too large.
; TILES-LABEL: func.func @few(
; TILES-NOT: scf.parallel
(defn few [(: q (tensor 4 h 40 f32)) (: k (tensor s h 40 f32)) (: v (tensor s h 24 f32)) (: b (tensor 4 s f32))]
  (einsum "hts,shd->thd" (softmax (+ b (einsum "thd,shd->hts" q k))) v))
; TILES-LABEL: func.func @one_block(
; TILES-NOT: scf.parallel
(defn one_block [(: q (tensor 1 60 64 f32)) (: k (tensor 1 s 64 f32)) (: v (tensor 1 s 64 f32)) (: b (tensor 60 s f32))]
  (einsum "hts,hsd->htd" (softmax (+ b (einsum "htd,hsd->hts" q k))) v))
; TILES-LABEL: func.func @large(
; TILES-NOT: scf.parallel
(defn large [(: q (tensor t h 520 f32)) (: k (tensor s h 520 f32)) (: v (tensor s h 24 f32)) (: b (tensor t s f32))]
  (einsum "hts,shd->thd" (softmax (+ b (einsum "thd,shd->hts" q k))) v))
; What nn.attention computes stays that.
; TILES-LABEL: func.func @scaled(
; TILES-NOT: memref<64x256xf32>
(defn scaled [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (einsum "hts,hsd->htd" (softmax (* 0.125 (einsum "htd,hsd->hts" q k))) v))

; TILES-LABEL: func.func @relative(
; TILES: scf.parallel
; TILES: arith.maxsi
; TILES: arith.minsi
; TILES: scf.for
; A bias from a table by distance, a window, and a gate on the result; F64.
(defn relative [(: q (tensor h t d f64)) (: k (tensor h s d f64)) (: v (tensor h s e f64)) (: table (tensor 64 f64))
                (: gate (tensor t h e f64)) (: window (tensor i32))] -> (tensor t h e f64)
  (def far (- (iota i32 [t 1] :axis 0) (iota i32 [s])))
  (def bias (gather table (min 63 (abs far))))
  (def seen (and (>= far 0) (< far window)))
  (* gate (einsum "hts,hsd->thd" (softmax (where seen (+ bias (einsum "htd,hsd->hts" q k)) -inf)) v)))
; TILES-LABEL: func.func @padded(
; TILES: scf.parallel
; Scores with positions before tokens, heads that share keys, a mask of bits.
(defn padded [(: q (tensor t g r 16 f16)) (: k (tensor s g 16 f16)) (: v (tensor s g 48 f16)) (: seen (tensor s t i1))]
  -> (tensor t g r 48 f32)
  (def scores (* 3.0 (tanh (/ (einsum "sgd,tgrd->grst" k q :out f32) 3.0))))
  (einsum "grst,sgd->tgrd" (softmax (where seen scores -inf) :axis 2) v :out f32))

(defn numbers [(: a index) (: b index) (: c index) (: seed f32) & {:type f32}]
  (cast type (sin (* seed (+ (+ (* 31.0 (iota f32 [a b c] :axis 0)) (* 7.0 (iota f32 [a b c] :axis 1)))
                             (iota f32 [a b c] :axis 2))))))
; By one head and the formula itself.
(defn plain [scores v] (let [e (exp (- scores (max scores :axis 1 :keep true)))]
                         (einsum "ts,sd->td" (/ e (sum e :axis 1 :keep true)) v)))
(defn far [a b most] (> (max (abs (- (cast f32 a) (cast f32 b)))) most))
(defn heads [x] (transpose x [1 0 2]))

(defn check [(: t index) (: s index)]
  (def q (numbers t 3 40 0.7 :type bf16))
  (def k (numbers s 3 40 0.13 :type bf16))
  (def v (numbers s 3 24 0.9 :type bf16))
  (def b (at (numbers 1 t s 0.3 :type f32) 0))
  (def one (where (<= (iota i32 [s]) (iota i32 [t 1] :axis 0))
                  (+ b (einsum "td,sd->ts" (cast f32 (at (heads q) 2)) (cast f32 (at (heads k) 2)))) -inf))
  (println (far (at (heads (causal q k v b)) 2) (plain one (cast f32 (at (heads v) 2))) 1e-2))
  (def q2 (numbers 2 t 33 0.7 :type f64))
  (def k2 (numbers 2 s 33 0.13 :type f64))
  (def v2 (numbers 2 s 70 0.9 :type f64))
  (def table (at (at (numbers 1 1 64 0.4 :type f64) 0) 0))
  (def gate (numbers t 2 70 0.21 :type f64))
  (def apart (- (iota i32 [t 1] :axis 0) (iota i32 [s])))
  (def two (where (and (>= apart 0) (< apart 9)) (+ (gather table (min 63 (abs apart))) (einsum "td,sd->ts" (at q2 1) (at k2 1))) -inf))
  (println (far (at (heads (relative q2 k2 v2 table gate (full i32 [] 9))) 1)
                (* (at (heads gate) 1) (plain two (at v2 1))) 1e-5))
  (def q3 (reshape (numbers t 6 16 0.7 :type f16) [t 2 3 16]))
  (def k3 (numbers s 2 16 0.13 :type f16))
  (def v3 (numbers s 2 48 0.9 :type f16))
  (def seen (> (at (numbers 1 s t 0.8 :type f32) 0) -0.9))
  (def three (* 3.0 (tanh (/ (einsum "td,sd->ts" (cast f32 (at (heads (reshape q3 [t 6 16])) 4)) (cast f32 (at (heads k3) 1))) 3.0))))
  (println (far (at (heads (reshape (padded q3 k3 v3 seen) [t 6 48])) 4)
                (plain (where (transpose seen) three -inf) (cast f32 (at (heads v3) 1))) 1e-4)))
; CHECK-COUNT-15: i1 [] false
(defn main []
  (check 1 70)
  (check 8 8)
  (check 64 64)
  (check 70 150)
  (check 200 1100)
  ; All digits are the same for all numbers of threads.
  (println (einsum "thd->" (cast f32 (causal (numbers 200 3 40 0.7 :type bf16) (numbers 1100 3 40 0.13 :type bf16)
                                             (numbers 1100 3 24 0.9 :type bf16) (at (numbers 1 200 1100 0.3 :type f32) 0)))))
  ; CHECK-NEXT: f32 []
  (def none (causal (zeros bf16 [9 2 40]) (zeros bf16 [0 2 40]) (zeros bf16 [0 2 24]) (zeros f32 [9 0])))
  (println (max (abs (cast f32 none)))) ; CHECK: f32 [] 0
  (println (sum (cast f32 (causal (zeros bf16 [0 2 40]) (zeros bf16 [9 2 40]) (zeros bf16 [9 2 24]) (zeros f32 [0 9])))))) ; CHECK: f32 [] 0

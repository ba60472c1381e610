; Attention of batches of texts, whose heads lie between the tokens, is one kernel with the log-sum-exp as a second result,
; on every target: of any mask, bias and length, and with
; heads that share keys. A token that sees nothing has NaN and -inf.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier build --emit=obj --explain %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BLOCKS
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s

; TILES-LABEL: gpu.func @causal_0(
; TILES: %[[ROWS:.*]]:3 = scf.for
; TILES-COUNT-2: vector.contract
; TILES: scf.yield
; TILES: vector.transfer_write
; TILES: math.log %[[ROWS]]#1
; TILES: vector.transfer_write
; TILES-NOT: gpu.func @causal_1
; BLOCKS: kernel causal_0: blocks of 64 tokens
(defn causal [(: q (tensor b t h 32 f32)) (: k (tensor b s h 32 f32)) (: v (tensor b s h 32 f32))]
  (def seen (<= (iota i32 [s]) (+ (- (cast i32 s) (cast i32 t)) (iota i32 [t 1] :axis 0))))
  (def scores (where seen (* 0.2 (einsum "bthd,bshd->bhts" q k)) -inf))
  (def m (max scores :axis -1 :keep true))
  (def l (+ m (log (sum (exp (- scores m)) :axis -1 :keep true))))
  [(einsum "bhts,bshd->bthd" (softmax scores) v) l])

; Heads that are larger than a tile have several programs, of which one stores the sums.
; TILES-LABEL: gpu.func @padded_0(
; TILES: scf.for
; TILES: vector.transfer_write
; TILES: scf.if
; TILES-NEXT: vector.transfer_write
; TILES-NOT: gpu.func @padded_1
; BLOCKS: kernel padded_0: blocks of 64 tokens
(defn padded [(: q (tensor b t h 24 f32)) (: k (tensor b s 24 f32)) (: v (tensor b s 80 f32)) (: slopes (tensor h f32))
              (: real (tensor b s i1))]
  (def distance (cast f32 (- (iota i32 [s]) (iota i32 [t 1] :axis 0))))
  (def biased (+ (einsum "bthd,bsd->bhts" q k) (* (reshape slopes [h 1 1]) distance)))
  (def scores (where (reshape real [b 1 1 s]) biased -inf))
  (def m (max scores :axis -1))
  (def l (+ m (log (sum (exp (- scores (stack m :axis -1))) :axis -1))))
  [(einsum "bhts,bsd->bhtd" (softmax scores) v) l])

(defn numbers [(: a index) (: b index) (: c index) (: d index) (: seed f32)]
  (sin (* seed (+ (+ (* 31.0 (iota f32 [a b c d] :axis 0)) (* 7.0 (iota f32 [a b c d] :axis 1)))
                  (+ (* 3.0 (iota f32 [a b c d] :axis 2)) (iota f32 [a b c d] :axis 3))))))
(defn head [(: x (tensor b t h d f32)) (: n index) (: i index)] (at (transpose (at x n) [1 0 2]) i))
; By one head and the formula itself.
(defn plain [scores v]
  (let [m (max scores :axis 1 :keep true) e (exp (- scores m)) z (sum e :axis 1 :keep true)]
    [(einsum "ts,sd->td" (/ e z) v) (+ m (log z))]))
(defn far [a b] (max (abs (- a b))))

(defn check [(: t index) (: s index)]
  (def q (numbers 2 t 3 32 0.7))
  (def k (numbers 2 s 3 32 0.13))
  (def v (numbers 2 s 3 32 0.9))
  (def place (+ (- s t) (iota index [t 1] :axis 0)))
  (def one (* 0.2 (einsum "td,sd->ts" (head q 1 2) (head k 1 2))))
  (def [o l] (causal q k v))
  (def [p m] (plain (where (<= (iota index [s]) place) one -inf) (head v 1 2)))
  (println (> (far (head o 1 2) p) 1e-5))
  (println (> (far (at (at l 1) 2) m) 1e-5))
  (def q2 (numbers 2 t 3 24 0.7))
  (def k2 (at (transpose (numbers 2 s 1 24 0.13) [2 0 1 3]) 0))
  (def v2 (at (transpose (numbers 2 s 1 80 0.9) [2 0 1 3]) 0))
  (def slopes (* -0.01 (iota f32 [3])))
  ; The first text is nothing but padding.
  (def real (and (> (iota i32 [2 1] :axis 0) 0) (!= (iota i32 [s]) 5)))
  (def [o2 l2] (padded q2 k2 v2 slopes real))
  (def two (+ (einsum "td,sd->ts" (head q2 1 2) (at k2 1))
              (* -0.02 (cast f32 (- (iota i32 [s]) (iota i32 [t 1] :axis 0))))))
  (def [p2 m2] (plain (where (!= (iota i32 [s]) 5) two -inf) (at v2 1)))
  (println (> (far (at (at o2 1) 2) p2) 1e-5))
  (println (> (far (at (at l2 1) 2) (at (transpose m2 [1 0]) 0)) 1e-5))
  (println (at (at (at o2 0) 1) 0))
  (println (max (at l2 0))))
; CHECK-COUNT-4: i1 [] false
; CHECK: f32 [80]
; CHECK-NEXT: [nan nan nan
; CHECK: f32 [] -inf
(defn main []
  (check 3 70)
  (check 20 37)
  (check 70 150))

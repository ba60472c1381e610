; What nn.attention cannot compute is still one loop over positions where the target runs tile programs: the scores are
; changed by a bias, a soft cap, a mask in memory, a window and a scale that only the call knows.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s

; TILES-LABEL: gpu.func @biased_0(
; TILES: scf.for
; TILES: vector.contract {{.*}} into vector<64x64xf32>
; TILES: vector.multi_reduction <maximumf>
; TILES-COUNT-2: vector.contract
; TILES: scf.yield
; TILES-NOT: gpu.func @biased_1
(defn biased [(: q (tensor t h 64 bf16)) (: k (tensor s h 64 bf16)) (: v (tensor s h 64 bf16)) (: b (tensor t s f32))]
  -> (tensor t h 64 f32)
  (einsum "hts,shd->thd" (softmax (+ b (einsum "thd,shd->hts" q k :out f32))) v :out f32))

; TILES-LABEL: gpu.func @capped_0(
; TILES: math.tanh
; TILES-NOT: gpu.func @capped_1
(defn capped [(: q (tensor h t 40 f32)) (: k (tensor h s 40 f32)) (: v (tensor h s 24 f32)) (: seen (tensor h s i1))]
  -> (tensor h t 24 f32)
  (def scores (* 3.0 (tanh (/ (einsum "htd,hsd->hts" q k) 3.0))))
  (einsum "hts,hsd->htd" (softmax (where (reshape seen [h 1 s]) scores -inf)) v))

; Heads that share keys, of any size, to which a BF16 softmax and a BF16 result belong.
; Only positions that the tile's tokens may see are walked.
; TILES-LABEL: gpu.func @windowed_0(
; TILES: %[[P:.*]] = memref.load %arg{{.*}}[] : memref<i32>
; TILES: %[[POSITION:.*]] = arith.index_cast %[[P]]
; TILES: %[[LAST:.*]] = arith.addi %{{.*}}, %c63
; TILES: arith.addi %[[POSITION]], %[[LAST]]
; TILES: arith.maxsi %{{.*}}, %c0
; TILES: arith.divui
; TILES: %[[BEGIN:.*]] = arith.muli
; TILES: %[[END:.*]] = arith.minsi
; TILES: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c64
; TILES-NOT: gpu.func @windowed_1
(defn windowed [(: q (tensor t h d bf16)) (: k (tensor g s d bf16)) (: v (tensor g s d bf16)) (: scale f32)
                (: window (tensor i32)) (: position (tensor i32))] -> (tensor t h d bf16)
  (def key (iota i32 [s]))
  (def token (+ position (iota i32 [t 1] :axis 0)))
  (def seen (and (<= key token) (> key (- token window))))
  (def scores (* 3.0 (tanh (* scale (einsum "tgrd,gsd->grts" (reshape q [t g (/ h g) d]) k :out f32)))))
  (cast bf16 (reshape (einsum "grts,gsd->tgrd" (cast bf16 (softmax (where seen scores -inf))) v :out f32) [t h d])))

; The weights are also a result, and a softmax of something else than its scores.
; TILES: gpu.func @and_weights_1
(defn and_weights [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: b (tensor t s f32))]
  (def w (softmax (+ b (einsum "thd,shd->hts" q k))))
  [w (einsum "hts,shd->thd" w v)])
; TILES: gpu.func @shifted_1
(defn shifted [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: b (tensor t s f32))]
  (einsum "hts,shd->thd" (+ b (softmax (einsum "thd,shd->hts" q k))) v))

(defn numbers [(: a index) (: b index) (: c index) (: seed f32) & {:type f32}]
  (cast type (sin (* seed (+ (+ (* 31.0 (iota f32 [a b c] :axis 0)) (* 7.0 (iota f32 [a b c] :axis 1)))
                             (iota f32 [a b c] :axis 2))))))
; By one head and the formula itself.
(defn plain [scores v] (let [e (exp (- scores (max scores :axis 1 :keep true)))]
                         (einsum "ts,sd->td" (/ e (sum e :axis 1 :keep true)) (cast f32 v))))
(defn far [a b most] (> (max (abs (- (cast f32 a) b))) most))

(defn check [(: t index) (: s index)]
  (def q (numbers t 2 64 0.7 :type bf16))
  (def k (numbers s 2 64 0.13 :type bf16))
  (def v (numbers s 2 64 0.9 :type bf16))
  (def b (numbers 1 t s 0.3 :type f32))
  (def one (einsum "td,sd->ts" (cast f32 (at (transpose q [1 0 2]) 1)) (cast f32 (at (transpose k [1 0 2]) 1))))
  (println (far (at (transpose (biased q k v (at b 0)) [1 0 2]) 1) (plain (+ (at b 0) one) (at (transpose v [1 0 2]) 1)) 1e-3))
  (def q2 (numbers 3 t 40 0.7 :type f32))
  (def k2 (numbers 3 s 40 0.13 :type f32))
  (def v2 (numbers 3 s 24 0.9 :type f32))
  (def seen (> (at (numbers 1 3 s 0.8 :type f32) 0) -0.5))
  (def two (* 3.0 (tanh (/ (einsum "td,sd->ts" (at q2 2) (at k2 2)) 3.0))))
  (println (far (at (capped q2 k2 v2 seen) 2) (plain (where (at seen 2) two -inf) (at v2 2)) 1e-4))
  (def q3 (numbers t 6 72 0.7 :type bf16))
  (def k3 (numbers 2 s 72 0.13 :type bf16))
  (def v3 (numbers 2 s 72 0.9 :type bf16))
  (def three (* 3.0 (tanh (* 0.1 (einsum "td,sd->ts" (cast f32 (at (transpose q3 [1 0 2]) 4)) (cast f32 (at k3 1)))))))
  (def place (+ (- s t) (iota index [t 1] :axis 0)))
  (def mask (and (<= (iota index [s]) place) (> (iota index [s]) (- place 9))))
  (def position (full i32 [] (cast i32 (- s t))))
  (println (far (at (transpose (windowed q3 k3 v3 0.1 (full i32 [] 9) position) [1 0 2]) 4)
                (plain (where mask three -inf) (at v3 1)) 1e-2)))
; CHECK-COUNT-9: i1 [] false
(defn main []
  (check 3 70)
  (check 20 37)
  (check 70 150))

; The functions of model.lisp against loops in f64: sizes of 1 and primes, none a multiple of a tile; parts of larger
; tensors; both types; NaN and infinities.
; RUN: lispier run %s | FileCheck %s
(require-dialect math arith)
(require ["../../../examples/llama/model.lisp" :as model])

;; Numbers of [-1, 1] without a pattern; as a part of a larger tensor, whose rows are not neighbours in memory.
(defn numbers [(: seed f32) (: a index) (: b index) (: c index)] -> (tensor _ _ _ f32)
  (sin (* seed (+ (+ (+ 1.0 (* 31.0 (iota f32 [a b c] :axis 0))) (* 7.0 (iota f32 [a b c] :axis 1)))
                  (iota f32 [a b c] :axis 2)))))
(defn part [(: seed f32) (: a index) (: b index) (: c index)] -> (tensor _ _ _ f32)
  (slice (numbers seed a (+ b 2) (+ c 3)) [0 1 2] [a b c]))
(defn rows [(: seed f32) (: a index) (: b index)] -> (tensor _ _ f32)
  (reshape (numbers seed 1 a b) [a b]))
(defn row [(: seed f32) (: a index)] -> (tensor _ f32)
  (reshape (numbers seed 1 1 a) [a]))
(defn f64-of [x] (cast f64 x))

(defmacro most-of [sizes difference]
  (if (empty? sizes) `(let [apart# ~difference] (math.absf apart#))
    `(fold [most (: 0.0 f64)] [~(first sizes) 0 ~(nth sizes 1)]
       (def here (most-of ~(drop 2 sizes) ~difference))
       (arith.maximumf most here)))) ; A NaN is not lost.

;; --- RMS norm ---------------------------------------------------------------

(defn norm-difference [(: x (tensor a b c f32)) (: w (tensor c bf16)) (: y (tensor a b c f32)) (: offset f64)] -> f64
  (most-of [i a j b k c]
    (do
      (def squares (fold [s (: 0.0 f64)] [e 0 c] (+ s (* (f64-of (at x i j e)) (f64-of (at x i j e))))))
      (def r (/ 1.0 (math.sqrt (+ (/ squares (cast f64 c)) 1e-5))))
      (- (f64-of (at y i j k)) (* (f64-of (at x i j k)) r (+ offset (f64-of (at w k))))))))
(defn test-norm [(: a index) (: b index) (: c index)]
  (def x (part 0.37 a b c))
  (def w (cast bf16 (row 0.71 c)))
  ; At most sqrt(c) * 2, to some roundings of f32.
  (println "norm %d %d" (cast i32 (< (norm-difference x w (model/normed x w 1e-5) 0.0) 1e-5))
    (cast i32 (< (norm-difference x w (model/normed x w 1e-5 :gemma true) 1.0) 1e-5))))
; CHECK-COUNT-3: norm 1 1

;; --- rotation ---------------------------------------------------------------

;; As the three cases of Llama 3's scaling are written down, relative to the frequency.
(defn frequency-difference [(: f (tensor h f32)) (: base f64) (: factor f64) (: low f64) (: high f64) (: n f64)] -> f64
  (most-of [i h]
    (do
      (def whole (math.powf base (/ (- (cast f64 (cast i64 i))) (cast f64 (cast i64 h)))))
      (def turns (/ (* n whole) 6.283185307179586)) ; In n positions.
      (def s (/ (- turns low) (- high low)))
      (def wanted (if (> turns high) whole
                    (if (< turns low) (/ whole factor) (+ (* (- 1.0 s) (/ whole factor)) (* s whole)))))
      (/ (- (f64-of (at f i)) wanted) wanted))))
(defn test-frequencies [(: h index)]
  (def scaled (model/frequencies h (: 500000.0 f64) (: 32.0 f64) (: 1.0 f64) (: 4.0 f64) (: 64.0 f64)))
  (def plain (model/frequencies h (: 10000.0 f64) (: 8.0 f64) (: 1.0 f64) (: 2.0 f64) (: 0.0 f64)))
  (println "frequencies %d %d"
    (cast i32 (< (frequency-difference scaled 500000.0 32.0 1.0 4.0 64.0) 1.2e-7))
    (cast i32 (< (frequency-difference plain 10000.0 8.0 1.0 2.0 0.0) 1.2e-7))))
; CHECK-COUNT-3: frequencies 1 1

(defn yarn-difference [(: f (tensor h f32)) (: base f64) (: factor f64) (: fast f64) (: slow f64) (: n f64)] -> f64
  (def channels (* 2.0 (cast f64 (cast i64 h))))
  ;; Where a pair turns so many times in n positions: n base^(-2 i / channels) = 2 pi turns.
  (def begin (math.floor (/ (* channels (math.log (/ n (* fast 6.283185307179586)))) (* 2.0 (math.log base)))))
  (def end (math.ceil (/ (* channels (math.log (/ n (* slow 6.283185307179586)))) (* 2.0 (math.log base)))))
  (def from (if (< begin 0.0) (: 0.0 f64) begin))
  (def to (if (> end (- channels 1.0)) (- channels 1.0) end))
  (most-of [i h]
    (do
      (def x (cast f64 (cast i64 i)))
      (def whole (math.powf base (/ (* -2.0 x) channels)))
      (def s (if (< x from) (: 0.0 f64) (if (> x to) (: 1.0 f64) (/ (- x from) (if (= from to) 0.001 (- to from))))))
      (def wanted (+ (* (- 1.0 s) whole) (* s (/ whole factor))))
      (/ (- (f64-of (at f i)) wanted) wanted))))
(defn test-yarn [(: h index) (: base f64) (: n f64)]
  (def f (model/yarn-frequencies h base (: 4.0 f64) (: 32.0 f64) (: 1.0 f64) n))
  (println "yarn %d" (cast i32 (< (yarn-difference f base 4.0 32.0 1.0 n) 1.2e-7))))
; CHECK-COUNT-3: yarn 1

(defn rotation-difference [(: x (tensor t n d f32)) (: f (tensor h f32)) (: y (tensor t n d f32)) (: position index)] -> f64
  (most-of [i t j n k h]
    (do
      (def angle (* (cast f64 (cast i64 (+ position i))) (f64-of (at f k))))
      (def a (f64-of (at x i j k)))
      (def b (f64-of (at x i j (+ k h))))
      (def first (- (f64-of (at y i j k)) (- (* a (math.cos angle)) (* b (math.sin angle)))))
      (def second (- (f64-of (at y i j (+ k h))) (+ (* b (math.cos angle)) (* a (math.sin angle)))))
      (+ (math.absf first) (math.absf second)))))
(defn test-rotation [(: t index) (: n index) (: h index) (: position i32)]
  (def x (part 0.53 t n (* 2 h)))
  (def f (model/frequencies h (: 500000.0 f64) (: 32.0 f64) (: 1.0 f64) (: 4.0 f64) (: 64.0 f64)))
  (def angles (model/angles-of (full i32 [1] position) f t))
  (def y (model/rotated x (cos angles) (sin angles)))
  ; The angle has an error of 2^-24 of itself.
  (println "rotation %d" (cast i32 (< (rotation-difference x f y (cast index position))
                                     (+ 1e-6 (* 2.4e-7 (cast f64 position)))))))
; CHECK-COUNT-4: rotation 1

;; --- gated MLP --------------------------------------------------------------

(defrecord Block [gate-up Linear] [down Linear])
(defmacro product [x w b i n k]
  `(fold [s (f64-of (at ~b ~n))] [e 0 ~k] (+ s (* (f64-of (at ~x ~i e)) (f64-of (at ~w ~n e))))))
(defmacro silu-of [z] `(/ ~z (+ 1.0 (math.exp (- ~z)))))
(defmacro gelu-of [z] `(* 0.5 (* ~z (+ 1.0 (math.tanh (* 0.7978845608028654 (+ ~z (* 0.044715 (* ~z (* ~z ~z))))))))))

;; As a share of the sum of the products' magnitudes.
(defn mlp-difference [(: x (tensor t c f32)) (: w (tensor m c bf16)) (: b (tensor m bf16)) (: v (tensor n i bf16))
                      (: d (tensor n bf16)) (: y (tensor t n f32)) & {:gemma false}] -> f64
  (most-of [row t column n]
    (do
      (def bias (f64-of (at d column)))
      (def [wanted magnitude]
        (fold [sum bias magnitude (math.absf bias)] [j 0 i]
          (def gate (product x w b row j c))
          (def up (product x w b row (+ i j) c))
          (def term (* (f64-of (at v column j)) (* up (if gemma (gelu-of gate) (silu-of gate)))))
          [(+ sum term) (+ magnitude (math.absf term))]))
      (/ (- (f64-of (at y row column)) wanted) magnitude))))
; Of f32, 16-bit matrix instructions multiply two terms of 8 bits; bf16 numbers between the products are rounded by 2^-8
; of them at most, and by a third of that on average.
(defn test-mlp [(: t index) (: c index) (: i index) & {:type f32 :limit 1e-4}]
  (def x (cast type (slice (rows 0.37 t (+ c 3)) [0 2] [t c])))
  (def w (cast bf16 (rows 0.71 (* 2 i) c)))
  (def b (cast bf16 (row 0.29 (* 2 i))))
  (def v (cast bf16 (rows 0.43 c i)))
  (def d (cast bf16 (row 0.31 c)))
  (def block (Block {:gate-up (Linear {:weight w :bias b}) :down (Linear {:weight v :bias d})}))
  (println "mlp %d %d"
    (cast i32 (< (mlp-difference (cast f32 x) w b v d (model/mlp x block :type type)) limit))
    (cast i32 (< (mlp-difference (cast f32 x) w b v d (model/mlp x block :type type :gemma true) :gemma true) limit))))
; CHECK-COUNT-6: mlp 1 1

;; --- attention --------------------------------------------------------------

(defn attention-difference [(: q (tensor t g r d f32)) (: k (tensor g s d f32)) (: v (tensor g s d f32))
                            (: y (tensor t g r d f32)) (: position index) (: window index) (: cap f64)] -> f64
  (most-of [i t group g j r column d]
    (do
      (def own (+ position i))
      (def from (if (< own window) (: 0 index) (- (+ own 1) window)))
      (def [weighted total]
        (fold [weighted (: 0.0 f64) total (: 0.0 f64)] [p from (+ own 1)]
          (def score (fold [sum (: 0.0 f64)] [e 0 d] (+ sum (* (f64-of (at q i group j e)) (f64-of (at k group p e))))))
          (def weight (math.exp (if (> cap 0.0) (* cap (math.tanh (/ (* 0.3 score) cap))) (* 0.3 score))))
          [(+ weighted (* weight (f64-of (at v group p column)))) (+ total weight)]))
      (- (f64-of (at y i group j column)) (/ weighted total)))))
; Of bf16 the softmax is rounded, by at most 2^-8 of numbers that add up to 1 for results of at most 1, and where more
; tokens share a tile its running sums.
(defn test-attention [(: t index) (: g index) (: r index) (: s index) (: d index) (: position i32) (: window i32)
                      & {:type f32 :limit 1e-4}]
  (def q (cast type (reshape (part 0.37 t (* g r) d) [t g r d])))
  (def k (cast type (part 0.71 g s d)))
  (def v (cast type (part 0.29 g s d)))
  (def o (full i32 [1] position))
  (def size (full i32 [] window))
  (def all (model/attended q k v 0.3 o size 1.0 :type type))
  (def some (model/attended q k v 0.3 o size 1.0 :type type :windows true))
  (def less (model/attended q k v 0.3 o size 0.5 :type type :windows true :capped true))
  (println "attention %d %d %d"
    (cast i32 (< (attention-difference (cast f32 q) (cast f32 k) (cast f32 v) all (cast index position) s 0.0) limit))
    (cast i32 (< (attention-difference (cast f32 q) (cast f32 k) (cast f32 v) some (cast index position)
                                       (cast index window) 0.0) limit))
    (cast i32 (< (attention-difference (cast f32 q) (cast f32 k) (cast f32 v) less (cast index position)
                                       (cast index window) 0.5) limit))))
; CHECK-COUNT-6: attention 1 1 1

;; --- NaN and infinity -------------------------------------------------------

(defmacro vector-of [& xs] `(concat ~@(map (fn [x] `(full f32 [1] ~x)) xs) :axis 0))
(defn is-nan [x] (cast i32 (!= x x)))
(defn test-not-finite []
  ;; A NaN stays in its row. Beside an infinity all numbers are 0, and itself is none.
  (def x (reshape (vector-of 1.0 nan 2.0 inf 3.0 4.0 5.0 6.0) [4 2]))
  (println (model/normed x (full bf16 [2] 1.0) 0.0))
  ; CHECK: f32 [4 2]
  ; CHECK-NEXT: [nan nan]
  ; CHECK-NEXT: [0 nan]
  ; CHECK-NEXT: [0.848528 1.13137]
  ;; As PyTorch's, the gates are none at minus infinity, where the formula is infinity times 0.
  ; CHECK: f32 [5]
  ; CHECK-NEXT: [inf nan nan -5.3{{[0-9]*}}e-37 -0]
  (println (silu (vector-of inf -inf nan -88.0 -1000.0)))
  ; CHECK: f32 [5]
  ; CHECK-NEXT: [inf nan nan -0 -0]
  (println (gelu (vector-of inf -inf nan -88.0 -1000.0)))
  ;; A query that is none makes its own heads' results none; a key that is none does, too, where it is seen.
  (def q (cast f32 (where (= (iota i32 [3 1 2 6] :axis 0) 1) nan (reshape (numbers 0.4 3 2 6) [3 1 2 6]))))
  (def k (numbers 0.3 1 9 6))
  (def y (model/attended q k k 0.3 (full i32 [1] 5) (full i32 [] 3) 1.0))
  ; CHECK: i32 [3 2]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [1 1]
  ; CHECK-NEXT: [0 0]
  (println (reshape (is-nan (slice y [0 0 0 0] [3 1 2 1])) [3 2]))
  (def later (where (= (iota i32 [1 9 6] :axis 1) 6) nan k))
  (def z (model/attended (reshape (numbers 0.4 3 2 6) [3 1 2 6]) later k 0.3 (full i32 [1] 5) (full i32 [] 3) 1.0))
  ; CHECK: i32 [3 2]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [1 1]
  ; CHECK-NEXT: [1 1]
  (println (reshape (is-nan (slice z [0 0 0 0] [3 1 2 1])) [3 2])))

(defn main []
  (test-norm 1 1 1) (test-norm 3 2 7) (test-norm 2 5 67)
  (test-frequencies 1) (test-frequencies 17) (test-frequencies 64)
  (test-yarn 64 1000000.0 32768.0) (test-yarn 8 10000.0 16.0) (test-yarn 1 10000.0 4096.0)
  (test-rotation 1 1 1 0) (test-rotation 5 3 17 2) (test-rotation 1 7 8 1000) (test-rotation 31 2 5 70)
  (test-mlp 1 1 1) (test-mlp 1 67 13) (test-mlp 7 13 31)
  (test-mlp 1 1 1 :type bf16 :limit 2e-3) (test-mlp 1 67 13 :type bf16 :limit 2e-3)
  (test-mlp 37 13 31 :type bf16 :limit 2e-3)
  (test-attention 1 1 1 1 2 0 1) (test-attention 1 3 2 33 6 30 7) (test-attention 13 2 3 37 17 20 5)
  (test-attention 1 3 2 33 6 30 7 :type bf16 :limit 0.02) (test-attention 13 2 3 37 17 20 5 :type bf16 :limit 0.02)
  (test-attention 35 1 1 35 64 0 11 :type bf16 :limit 0.02)
  (test-not-finite))

; Functions of the library against loops in f64: sizes of 1 and primes, every float type, parts of larger tensors.
; RUN: lispier run %s | FileCheck %s
(require-dialect math arith)

;; Numbers of [-4, 4] without a pattern, as a part of a larger tensor.
(defn part [(: seed f32) (: a index) (: b index)] -> (tensor _ _ f32)
  (slice (* 4.0 (sin (* seed (+ (* 7.0 (iota f32 [(+ a 2) (+ b 3)] :axis 0)) (iota f32 [(+ a 2) (+ b 3)] :axis 1)))))
         [1 2] [a b]))
(defn f64-of [x] (cast f64 x))
(defmacro most-of [sizes difference]
  (if (empty? sizes) `(let [apart# ~difference] (math.absf apart#))
    `(fold [most (: 0.0 f64)] [~(first sizes) 0 ~(nth sizes 1)]
       (def here (most-of ~(drop 2 sizes) ~difference))
       (arith.maximumf most here))))
(defn ok [(: difference f64) limit] -> i32 (cast i32 (<= difference limit)))

;; --- one number at a time ---------------------------------------------------

(defn silu-difference [x y] -> f64
  (def a (dim x 0))
  (def b (dim x 1))
  (most-of [i a j b]
    (do (def z (f64-of (at x i j))) (/ (- (f64-of (at y i j)) (/ z (+ 1.0 (math.exp (- z))))) (+ 1.0 (math.absf z))))))
(defn gelu-difference [x y] -> f64
  (def a (dim x 0))
  (def b (dim x 1))
  (most-of [i a j b]
    (do
      (def z (f64-of (at x i j)))
      (def t (math.tanh (* 0.7978845608028654 (+ z (* 0.044715 (* z (* z z)))))))
      (/ (- (f64-of (at y i j)) (* 0.5 (* z (+ 1.0 t)))) (+ 1.0 (math.absf z))))))

;; --- rows -------------------------------------------------------------------

(defn rms-norm-difference [x w y] -> f64
  (def a (dim x 0))
  (def c (dim x 1))
  (most-of [i a j c]
    (do
      (def squares (fold [s (: 0.0 f64)] [k 0 c] (+ s (* (f64-of (at x i k)) (f64-of (at x i k))))))
      (def wanted (/ (* (f64-of (at x i j)) (f64-of (at w j))) (math.sqrt (+ (/ squares (cast f64 (cast i64 c))) 1e-5))))
      (/ (- (f64-of (at y i j)) wanted) (+ 1.0 (math.absf wanted))))))

;; The pairs (i, i + d/2), from position `start` on.
(defn rope-difference [x y (: start index)] -> f64
  (def n (dim x 0))
  (def t (dim x 1))
  (def h (/ (dim x 2) 2))
  (most-of [i n j t k h]
    (do
      (def angle (* (cast f64 (cast i64 (+ start j)))
                    (math.powf 10000.0 (/ (- (cast f64 (cast i64 k))) (cast f64 (cast i64 h))))))
      (def a (f64-of (at x i j k)))
      (def b (f64-of (at x i j (+ k h))))
      (+ (math.absf (- (f64-of (at y i j k)) (- (* a (math.cos angle)) (* b (math.sin angle)))))
         (math.absf (- (f64-of (at y i j (+ k h))) (+ (* b (math.cos angle)) (* a (math.sin angle)))))))))

;; How many numbers of topk are at a wrong place: the one at place p has p numbers before it that are greater, or equal
;; and before it in the row.
(defn misplaced [x values places] -> i64
  (def a (dim x 0))
  (def n (dim x 1))
  (def k (dim values 1))
  (fold [wrong (: 0 i64)] [i 0 a]
    (fold [wrong wrong] [p 0 k]
      (def place (cast index (at places i p)))
      (def it (at x i place))
      (def before
        (fold [count (: 0 i64)] [j 0 n]
          (def other (at x i j))
          (if (or (> other it) (and (= other it) (< j place))) (+ count (: 1 i64)) count)))
      (if (and (= before (cast i64 p)) (= (at values i p) it)) wrong (+ wrong (: 1 i64))))))

;; Each row `times` times: examples/kernels/repeat-interleave.
(defn repeated [x (: times index)]
  (let [n (dim x 0) c (dim x 1)]
    (reshape (broadcast (reshape x [n 1 c]) [n times c]) [(* n times) c])))
(defn wrong-repeats [x y (: times index)] -> i64
  (def n (dim y 0))
  (def c (dim y 1))
  (fold [wrong (: 0 i64)] [i 0 n]
    (fold [wrong wrong] [j 0 c]
      (if (= (at y i j) (at x (/ i times) j)) wrong (+ wrong (: 1 i64))))))

;; `half`: the type's rounding of 1.
(defn test [(: a index) (: c index) & {:type f32 :half 6e-8}]
  (def x (cast type (part 0.37 a c)))
  (def w (cast type (reshape (part 0.71 1 c) [c])))
  (def k (/ (+ c 1) 2))
  (def [values places] (topk x k))
  (def few (floor (cast f32 x))) ; Many equal numbers.
  (def [most where-most] (topk few c))
  (println "%d %d %d, %ld %ld, %ld"
    (ok (silu-difference x (silu x)) (* 2.0 half)) (ok (gelu-difference x (gelu x)) (* 2.0 half))
    ;; A product of three, of which the root has the error of a mean.
    (ok (rms-norm-difference x w (rms-norm x w)) (* 4.0 half))
    (misplaced x values places) (misplaced few most where-most)
    (wrong-repeats x (repeated x 3) 3)))
(defn test-rope [(: n index) (: t index) (: h index) (: start index) & {:type f32 :limit 1e-4}]
  (def x (cast type (reshape (part 0.53 n (* t (* 2 h))) [n t (* 2 h)])))
  (println "rope %d" (ok (rope-difference x (rope x start) start) limit)))

(defn main []
  ; CHECK-COUNT-8: 1 1 1, 0 0, 0
  (test 1 1) (test 3 7) (test 5 67) (test 2 131 :type f64 :half 2e-16)
  (test 1 1 :type bf16 :half 4e-3) (test 5 67 :type bf16 :half 4e-3)
  (test 3 7 :type f16 :half 5e-4) (test 2 131 :type f16 :half 5e-4)
  ; CHECK-COUNT-5: rope 1
  (test-rope 1 1 1 0) (test-rope 3 5 17 70) (test-rope 2 31 3 2 :type f64) ; Angles are f32.
  (test-rope 3 5 17 70 :type bf16 :limit 0.06) (test-rope 3 5 17 70 :type f16 :limit 0.01))

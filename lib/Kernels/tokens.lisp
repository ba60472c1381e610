;; tokens.lisp - from logits to a token, on a CPU
;;
;; nn.sample is a binary search for a threshold: 31 steps, each a pass over the
;; weights, which stay in the L2 cache. Weights are integers, so the order of summation
;; does not matter, and the token is exactly the one that the op's description defines.

;; Loads integer weights from i on. The scratch memory holds them as f32, which is
;; exact. arith.fptosi, unlike `cast`, does not clamp; no weight exceeds 2^30.
(defmacro weights [lanes i]
  (if (= lanes 1)
    `(arith.fptosi {:result i32} (memref.load scratch ~i))
    `(arith.fptosi {:result vector<16xi32>} (vector.load {:result vector<16xf32>} scratch ~i))))

(defmacro lane-sum-int [T v]
  `(vector.reduction {:kind "#vector.kind<add>" :result ~T} ~v))

;; e^((logit - largest) / temperature) in units of 2^-30, cut off; 0 for a NaN.
(defmacro likelihood [F I logit largest temperature]
  `(let [likely (math.exp (/ (- ~logit ~largest) ~temperature))
         number (arith.select (arith.cmpf {:predicate "ord"} likely likely) likely (: 0.0 ~F))]
     (cast ~F (arith.fptosi {:result ~I} (* number (: 1073741824.0 ~F))))))

;; The number of weights >= `least` (i32).
(defmacro count-from [least]
  `(let [leasts (vector.broadcast {:result vector<16xi32>} ~least)
         lanes (fold [n (: 0 vector<16xi32>)] [i 0 V16 16]
                 (+ n (cast vector<16xi32> (arith.extui {:result vector<16xi32>} (>= (weights 16 i) leasts)))))]
     (fold [n (lane-sum-int i32 lanes)] [i V16 V]
       (+ n (arith.extui {:result i32} (>= (weights 1 i) ~least))))))

;; The sum (i64) of these weights.
(defmacro kept-lanes [i leasts]
  `(let [w (weights 16 ~i)]
     (arith.extsi {:result vector<16xi64>} (arith.select (>= w ~leasts) w (: 0 vector<16xi32>)))))
(defmacro kept-weight [i least]
  `(let [w (weights 1 ~i)]
     (arith.extsi {:result i64} (arith.select (>= w ~least) w (: 0 i32)))))
(defmacro weight-from [least]
  `(let [leasts (vector.broadcast {:result vector<16xi32>} ~least)
         lanes (fold [s (: 0 vector<16xi64>)] [i 0 V16 16] (+ s (kept-lanes i leasts)))]
     (fold [s (lane-sum-int i64 lanes)] [i V16 V] (+ s (kept-weight i ~least)))))

;; The largest threshold (i32) whose value is at least `wanted`; the value must decrease
;; monotonically. Found bit by bit, from the highest.
(defmacro largest-threshold [value wanted]
  `(fold [found (: 0 i32)] [step 0 31]
     (def tried (arith.ori found (arith.shrui (: 1073741824 i32) (cast i32 step))))
     (arith.select (>= (~value tried) ~wanted) tried found)))

;; One step of xorshift64* (Vigna 2016): a number uniform in 0 .. total-1.
(defmacro random-below [total]
  `(let [seed (memref.load state 0)
         s0 (arith.select (= seed (: 0 i64)) (: -7046029254386353131 i64) seed)
         s1 (arith.xori s0 (arith.shrui s0 (: 12 i64)))
         s2 (arith.xori s1 (arith.shli s1 (: 25 i64)))
         s3 (arith.xori s2 (arith.shrui s2 (: 27 i64)))]
     (memref.store s3 state 0)
     (def [low high] (arith.mului_extended (* s3 (: 2685821657736338717 i64)) ~total))
     high))

;; The first token at which the running sum of kept weights exceeds r: finds the
;; group of 16 first, then the token.
(defmacro token-at [r least]
  `(let [leasts (vector.broadcast {:result vector<16xi32>} ~least)]
     (def [_all before place]
       (fold [sum (: 0 i64) before (: 0 i64) place (: 0 index)] [i 0 V16 16]
         (def next (+ sum (lane-sum-int i64 (kept-lanes i leasts))))
         (def passed (<= next ~r))
         [next (arith.select passed next before) (arith.select passed (+ i 16) place)]))
     (def [_sum token]
       (fold [sum before token (cast i32 place)] [i place (min V (+ place 16))]
         (def next (+ sum (kept-weight i ~least)))
         [next (+ token (arith.extui {:result i32} (<= next ~r)))]))
     token))

(deftemplate nn.sample {:for [cpu]}
  [(: logits "memref<?xf32>") (: scratch "memref<?xf32>") (: state "memref<1xi64>")
   (: temperature f32) (: top_k i32) (: top_p f32) (: out "memref<1xi32>")]
  (def V (memref.dim logits 0))
  (def V16 (floor-to 16 V))
  (nn.argmax logits out) ; The token at temperature 0, and the index of the largest logit.
  (if (> temperature (: 0.0 f32))
    (do
      (def largest (memref.load logits (cast index (memref.load out 0))))
      (def largests (vector.broadcast {:result vector<16xf32>} largest))
      (def temperatures (vector.broadcast {:result vector<16xf32>} temperature))
      (for [i 0 V16 16]
        (store-f32 16 f32 (likelihood vector<16xf32> vector<16xi32> (load-f32 16 f32 logits i) largests temperatures)
          scratch i))
      (for [i V16 V]
        (store-f32 1 f32 (likelihood f32 i32 (load-f32 1 f32 logits i) largest temperature) scratch i))
      (def a
        (if (arith.andi (> top_k (: 0 i32)) (< (cast index top_k) V))
          (max (largest-threshold count-from top_k) (: 1 i32))
          (: 1 i32)))
      (def total (weight-from a))
      (if (> total (: 0 i64))
        (do
          (def b
            (if (< top_p (: 1.0 f32))
              (let [part (math.ceil (* (cast f64 top_p) (cast f64 total)))
                    wanted (cast i64 (max part (: 1.0 f64)))]
                (max (largest-threshold weight-from wanted) a))
              a))
          (def r (random-below (weight-from b)))
          (memref.store (token-at r b) out 0))))))

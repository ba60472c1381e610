;; sample.lisp - nn.sample: from logits to a token
;;
;; A binary search for thresholds: 31 steps, each a pass over the weights, which stay in the L2 cache. Weights are
;; integers, so the order of summation does not matter, and the token is exactly the one that the op's description
;; defines. On a GPU it is one block; a CPU has 16 weights at a time.

(defmacro on-gpu? [] (or (target-has? :warp32) (target-has? :warp64)))

;; The type of one number, or of 16; of macros' code.
(defmacro lanes-of [lanes T] `(if (= ~lanes 1) ~T (symbol (str "vector<16x" ~T ">"))))

;; e^((logit - largest) / temperature) in units of 2^-30, cut off; 0 for a NaN. The scratch memory has it as f32, which
;; is exact. arith.fptosi, unlike `cast`, does not clamp.
(defmacro put-weight [lanes i largest temperature]
  (let [F (lanes-of lanes `f32) I (lanes-of lanes `i32)]
    `(let [likely (math.exp (/ (- (load-f32 ~lanes f32 logits ~i) ~largest) ~temperature))
           number (arith.select (arith.cmpf {:predicate "ord"} likely likely) likely (: 0.0 ~F))]
       (store-f32 ~lanes f32 (cast ~F (arith.fptosi {:result ~I} (* number (: 1073741824.0 ~F)))) scratch ~i))))
(defmacro put-weights []
  (if (on-gpu?)
    `(do (for [i (thread-id :x) V (block-dim :x)] (put-weight 1 i largest temperature))
         (barrier))
    `(let [largests (vector.broadcast {:result vector<16xf32>} largest)
           temperatures (vector.broadcast {:result vector<16xf32>} temperature)]
       (for [i 0 V16 16] (put-weight 16 i largests temperatures))
       (for [i V16 V] (put-weight 1 i largest temperature)))))

;; 1 (i32) for a weight that is >= `least` (i32), or the weight itself (i64); else 0.
(defmacro weight-of [lanes i] `(arith.fptosi {:result ~(lanes-of lanes `i32)} (load-f32 ~lanes f32 scratch ~i)))
(defmacro one-from [lanes i least] `(arith.extui {:result ~(lanes-of lanes `i32)} (>= (weight-of ~lanes ~i) ~least)))
(defmacro weight-from [lanes i least]
  `(let [w (weight-of ~lanes ~i)]
     (arith.select (>= w ~least) (arith.extsi {:result ~(lanes-of lanes `i64)} w) (: 0 ~(lanes-of lanes `i64)))))

;; Sums of such values from one place to another, by vectors on a CPU; and of all, in all threads of a GPU.
(defmacro sum-of-part [T value from to least]
  (if (on-gpu?) `(fold [s# (: 0 ~T)] [i# ~from ~to] (+ s# (~value 1 i# ~least)))
    `(let [leasts (vector.broadcast {:result vector<16xi32>} ~least) end (+ ~from (floor-to 16 (- ~to ~from)))
           lanes (fold [s# (: 0 ~(lanes-of 16 T))] [i# ~from end 16] (+ s# (~value 16 i# leasts)))]
       (fold [s# (vector.reduction {:kind "#vector.kind<add>" :result ~T} lanes)] [i# end ~to]
         (+ s# (~value 1 i# ~least))))))
(defmacro sum-of-all [T value least]
  (if (on-gpu?)
    `(block-reduce :add (fold [s# (: 0 ~T)] [i# (thread-id :x) V (block-dim :x)] (+ s# (~value 1 i# ~least))))
    `(sum-of-part ~T ~value (: 0 index) V ~least)))

;; The largest threshold (i32) from which on the sum is at least `wanted`. Found bit by bit, from the highest.
(defmacro threshold-for [T value wanted]
  `(fold [found (: 0 i32)] [step 0 31]
     (def tried (arith.ori found (arith.shrui (: 1073741824 i32) (cast i32 step))))
     (arith.select (>= (sum-of-all ~T ~value tried) ~wanted) tried found)))

;; One step of xorshift64* (Vigna 2016).
(defmacro next-state [seed]
  `(let [s0 (arith.select (= ~seed (: 0 i64)) (: -7046029254386353131 i64) ~seed)
         s1 (arith.xori s0 (arith.shrui s0 (: 12 i64)))
         s2 (arith.xori s1 (arith.shli s1 (: 25 i64)))]
     (arith.xori s2 (arith.shrui s2 (: 27 i64)))))

;; For each of the contiguous parts of 0 .. V, a thread's on a GPU.
(defmacro for-parts [t & body]
  `(~@(if (on-gpu?) `(let [~t (thread-id :x)]) `(for [~t 0 32]))
     (def from (min V (* run ~t)))
     (def to (min V (+ from run)))
     ~@body))

(defmacro draw-token []
  `(do
     (def largest (memref.load logits (cast index (memref.load out 0))))
     (put-weights)
     (def a (if (arith.andi (> top_k (: 0 i32)) (< (cast index top_k) V))
              (max (threshold-for i32 one-from top_k) (: 1 i32))
              (: 1 i32)))
     (def total (sum-of-all i64 weight-from a))
     (when (> total (: 0 i64))
       (def b
         (if (< top_p (: 1.0 f32))
           (let [part (math.ceil (* (cast f64 top_p) (cast f64 total)))
                 wanted (cast i64 (max part (: 1.0 f64)))]
             (max (threshold-for i64 weight-from wanted) a))
           a))
       (def kept (sum-of-all i64 weight-from b))
       (def next (next-state (memref.load state 0)))
       (def [low r] (arith.mului_extended (* next (: 2685821657736338717 i64)) kept))
       ;; The part in which the running sum exceeds r has the token.
       (def sums ~(if (on-gpu?) `(shared i64 [1024]) `(stack memref<32xi64>)))
       (def run ~(if (on-gpu?) `(ceil-div V (block-dim :x)) `(* 16 (ceil-div V 512))))
       (for-parts t (memref.store (sum-of-part i64 weight-from from to b) sums t))
       ~@(if (on-gpu?) [`(barrier)] [])
       (for-parts t
         (def before (fold [s (: 0 i64)] [u 0 t] (+ s (memref.load sums u))))
         (when (arith.andi (<= before r) (> (+ before (memref.load sums t)) r))
           (def [_sum token]
             (fold [sum before token (cast i32 from)] [i from to]
               (def next (+ sum (weight-from 1 i b)))
               [next (+ token (arith.extui {:result i32} (<= next r)))]))
           (memref.store token out 0)
           (memref.store next state 0))))))

(defmacro sample-template [target body]
  `(deftemplate nn.sample {:for [~target]}
     [(: logits "memref<?xf32>") (: scratch "memref<?xf32>") (: state "memref<1xi64>")
      (: temperature f32) (: top_k i32) (: top_p f32) (: out "memref<1xi32>")]
     (def V (memref.dim logits 0))
     (def V16 (floor-to 16 V))
     (nn.argmax logits out) ; The token at temperature 0, and the index of the largest logit.
     (when (> temperature (: 0.0 f32)) ~body)))
(sample-template gpu (launch {:name sample :grid [1] :block [1024]} (draw-token)))
(sample-template cpu (draw-token))

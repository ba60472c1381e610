;; gpu-sample.lisp - nn.sample on a GPU
;;
;; One block. As in tokens.lisp, a binary search for thresholds: 31 steps, each a pass over the weights, which stay in
;; the L2 cache. Weights are integers, so the order of summation does not matter, and the token is exactly the one that
;; the op's description defines.

;; e^((logit - largest) / temperature) in units of 2^-30, cut off; 0 for a NaN.
(defmacro token-weight [logit]
  `(let [likely (math.exp (/ (- ~logit largest) temperature))
         number (arith.select (arith.cmpf {:predicate "ord"} likely likely) likely (: 0.0 f32))]
     (arith.fptosi {:result i32} (* number (: 1073741824.0 f32)))))

;; The number of weights >= `least` (i32), and their sum, in all threads. A collective.
(defmacro tokens-from [least]
  `(block-reduce :add
     (fold [n (: 0 i32)] [i (thread-id :x) V (block-dim :x)]
       (+ n (arith.extui {:result i32} (>= (arith.fptosi {:result i32} (memref.load scratch i)) ~least))))))
(defmacro weights-from [least]
  `(block-reduce :add
     (fold [s (: 0 i64)] [i (thread-id :x) V (block-dim :x)]
       (def w (arith.fptosi {:result i32} (memref.load scratch i)))
       (+ s (arith.select (>= w ~least) (cast i64 w) (: 0 i64))))))

;; The largest threshold (i32) whose value is at least `wanted`; the value must decrease monotonically. Found bit by
;; bit, from the highest.
(defmacro threshold-for [value wanted]
  `(fold [found (: 0 i32)] [step 0 31]
     (def tried (arith.ori found (arith.shrui (: 1073741824 i32) (cast i32 step))))
     (arith.select (>= (~value tried) ~wanted) tried found)))

;; One step of xorshift64* (Vigna 2016).
(defmacro next-state [seed]
  `(let [s0 (arith.select (= ~seed (: 0 i64)) (: -7046029254386353131 i64) ~seed)
         s1 (arith.xori s0 (arith.shrui s0 (: 12 i64)))
         s2 (arith.xori s1 (arith.shli s1 (: 25 i64)))]
     (arith.xori s2 (arith.shrui s2 (: 27 i64)))))

(deftemplate nn.sample {:for [gpu]}
  [(: logits "memref<?xf32>") (: scratch "memref<?xf32>") (: state "memref<1xi64>")
   (: temperature f32) (: top_k i32) (: top_p f32) (: out "memref<1xi32>")]
  (def V (memref.dim logits 0))
  (nn.argmax logits out) ; The token at temperature 0, and the index of the largest logit.
  (when (> temperature (: 0.0 f32))
    (launch {:name sample :grid [1] :block [1024]}
      (def largest (memref.load logits (cast index (memref.load out 0))))
      (for [i (thread-id :x) V (block-dim :x)]
        (memref.store (cast f32 (token-weight (memref.load logits i))) scratch i))
      (barrier)
      (def a (if (arith.andi (> top_k (: 0 i32)) (< (cast index top_k) V))
               (max (threshold-for tokens-from top_k) (: 1 i32))
               (: 1 i32)))
      (def total (weights-from a))
      (when (> total (: 0 i64))
        (def b
          (if (< top_p (: 1.0 f32))
            (let [part (math.ceil (* (cast f64 top_p) (cast f64 total)))
                  wanted (cast i64 (max part (: 1.0 f64)))]
              (max (threshold-for weights-from wanted) a))
            a))
        (def kept (weights-from b))
        (def next (next-state (memref.load state 0)))
        (def [low r] (arith.mului_extended (* next (: 2685821657736338717 i64)) kept))
        ;; Each thread sums a contiguous range; the thread in whose range the running sum exceeds r finds the token.
        (def sums (shared i64 [1024]))
        (def run (ceil-div V (block-dim :x)))
        (def from (min V (* run (thread-id :x))))
        (def to (min V (+ from run)))
        (memref.store
          (fold [s (: 0 i64)] [i from to]
            (def w (arith.fptosi {:result i32} (memref.load scratch i)))
            (+ s (arith.select (>= w b) (cast i64 w) (: 0 i64))))
          sums (thread-id :x))
        (barrier)
        (def before (fold [s (: 0 i64)] [t 0 (thread-id :x)] (+ s (memref.load sums t))))
        (when (arith.andi (<= before r) (> (+ before (memref.load sums (thread-id :x))) r))
          (def [_sum token]
            (fold [sum before token (cast i32 from)] [i from to]
              (def w (arith.fptosi {:result i32} (memref.load scratch i)))
              (def next (+ sum (arith.select (>= w b) (cast i64 w) (: 0 i64))))
              [next (+ token (arith.extui {:result i32} (<= next r)))]))
          (memref.store token out 0)
          (memref.store next state 0))))))

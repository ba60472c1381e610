;; attention.lisp - nn.attention on a CPU
;;
;; With one token a parallel task is a head; with several tokens it is 4 tokens of a
;; head (with AMX, blocks of 32). Positions are processed in blocks of 1024, whose
;; scores and then weights are on the stack; the running maximum and sum of the
;; online softmax (Milakov and Gimelshein 2018) combine the blocks. A sequence of up
;; to 1024 positions is thus a plain softmax, and a longer one needs no more memory.
;;
;; keys and values are the caches, or k and v as [G,S,D]; g is the head of keys of the
;; head h of queries, o the first token's position, L the number of positions.

(require-macros "attention-operands.lisp" "attention-tiles.lisp")
(extern-fn lispier_rt_threads (-> [] [i64]))

(defmacro attention-block [] 1024)

;; Copies head g of row t of k or v into a cache.
(defmacro attention-keep [A rows cache]
  `(let [D16 (floor-to 16 D)]
     (for [d 0 D16 16] (store-f32 16 ~A (load-f32 16 ~A ~rows t g d) ~cache g (+ o t) d))
     (for [d D16 D] (store-f32 1 ~A (load-f32 1 ~A ~rows t g d) ~cache g (+ o t) d))))

;; weights[j] = scale q . k[p0 + j] for j < count, and -inf from there to a multiple of
;; 16. Computes 16 positions at a time; those beyond the last one load its key.
(defmacro attention-scores [A]
  (let [rs (range 16)
        acc (apply vector (map (fn [r] (symbol (str "s" r))) rs))
        row (fn [r] (symbol (str "row" r)))]
    `(let [D16 (floor-to 16 D)
           last (+ p0 (- count 1))
           scales (vector.broadcast {:result vector<16xf32>} scale)
           lane-ids (arith.constant {:value
                                     "dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>"})]
       (for [j 0 count16 16]
         ~@(map (fn [r] `(def ~(row r) (min last (+ p0 j ~r)))) rs)
         (def ~acc
           (fold ~(apply vector (apply concat (map (fn [s] [s `zeros]) acc))) [d 0 D16 16]
             (def row-of-q (load-f32 16 ~A q t h d))
             ~@(map (fn [r] `(prefetch keys g (+ ~(row r) 16) d)) rs)
             ~(apply vector (map (fn [r] `(vector.fma row-of-q (load-f32 16 ~A keys g ~(row r) d) ~(nth acc r))) rs))))
         (def left (vector.broadcast {:result vector<16xi32>} (cast i32 (- count j))))
         (store-f32 16 f32
           (arith.select (< lane-ids left) (* scales (lane-sums ~acc)) (: -inf vector<16xf32>)) weights j))
       ;; Heads that are not a multiple of 16 wide.
       (if (< D16 D)
         (for [j 0 count]
           (memref.store
             (fold [s (memref.load weights j)] [d D16 D]
               (+ s (* scale (* (load-f32 1 ~A q t h d) (load-f32 1 ~A keys g (+ p0 j) d)))))
             weights j))))))

;; sums[d ..] = sums[d ..] * keep + weights . v[p0 ..] for `vectors` * `lanes`
;; columns; separate sums for even and odd positions shorten the dependency chain.
(defmacro attention-values [A lanes vectors]
  (let [is (range vectors)
        name (fn [prefix i] (symbol (str prefix i)))
        F (if (= lanes 1) `f32 (symbol (str "vector<" lanes "xf32>")))
        spread (fn [x] (if (= lanes 1) x `(vector.broadcast {:result ~F} ~x)))
        fma (if (= lanes 1) `math.fma `vector.fma)
        value (fn [j i] `(load-f32 ~lanes ~A values g (+ p0 ~j) (+ d ~(* i lanes))))
        even (map (fn [i] (name "even" i)) is)
        odd (map (fn [i] (name "odd" i)) is)]
    `(let [kept ~(spread `keep)
           count2 (floor-to 2 count)]
       (def ~(apply vector (concat even odd))
         (fold ~(apply vector (concat
                  (apply concat (map (fn [i] [(nth even i) `(* kept (load-f32 ~lanes f32 sums (+ d ~(* i lanes))))])
                                  is))
                  (apply concat (map (fn [i] [(nth odd i) `(: 0.0 ~F)]) is))))
               [j 0 count2 2]
           (def w0 ~(spread `(memref.load weights j)))
           (def w1 ~(spread `(memref.load weights (+ j 1))))
           ~@(map (fn [i] `(prefetch values g (+ p0 j 16) (+ d ~(* i lanes)))) is)
           ~@(map (fn [i] `(prefetch values g (+ p0 j 17) (+ d ~(* i lanes)))) is)
           ~(apply vector (concat (map (fn [i] `(~fma w0 ~(value `j i) ~(nth even i))) is)
                                  (map (fn [i] `(~fma w1 ~(value `(+ j 1) i) ~(nth odd i))) is)))))
       (def ~(apply vector (map (fn [i] (name "all" i)) is))
         (fold ~(apply vector (apply concat (map (fn [i] [(name "all" i) `(+ ~(nth even i) ~(nth odd i))]) is)))
           [j count2 count]
           (def w0 ~(spread `(memref.load weights j)))
           ~(apply vector (map (fn [i] `(~fma w0 ~(value `j i) ~(name "all" i))) is))))
       ~@(map (fn [i] `(store-f32 ~lanes f32 ~(name "all" i) sums (+ d ~(* i lanes)))) is))))

;; out[t, h], from what token t sees and nothing else. Products of several tokens multiply what a token does not see by
;; 0, which is NaN where that is infinite or NaN. Where a result is not finite they thus compute it again, by this.
;; sum: the place of the sum of column d, a memref and its indices.
(defmacro attention-again [cached A token sum]
  `(let [t ~token]
     (for [d 0 D] (memref.store (: 0.0 f32) ~@sum))
     (def [m s]
       (fold [m (: -1.0e30 f32) s (: 0.0 f32)] [p (first-seen t) (end-of-seen ~cached t)]
         (def score
           (fold [score (: 0.0 f32)] [d 0 D] (math.fma (load-f32 1 ~A q t h d) (load-f32 1 ~A keys g p d) score)))
         (def new-max (arith.maxnumf m (* scale score)))
         (def keep (math.exp (- m new-max)))
         (def weight (math.exp (- (* scale score) new-max)))
         (for [d 0 D]
           (memref.store (math.fma weight (load-f32 1 ~A values g p d) (* keep (memref.load ~@sum))) ~@sum))
         [new-max (math.fma s keep weight)]))
     (for [d 0 D] (store-f32 1 ~A (/ (memref.load ~@sum) s) out t h d))))

;; out[t, h]
(defmacro attention-attend [cached A]
  `(with-stack weights memref<1024xf32>
     (def sums (stack memref<?xf32> D))
     (for [d 0 D] (memref.store (: 0.0 f32) sums d))
     (def length (end-of-seen ~cached t))
     (def [m s]
       (fold [m (: -inf f32) s (: 0.0 f32)] [p0 (first-seen t) length (attention-block)]
         (def count (min (attention-block) (- length p0)))
         (def count16 (* 16 (ceil-div count 16)))
         (attention-scores ~A)
         (def block-max
           (lane-max (fold [m (: -inf vector<16xf32>)] [j 0 count16 16]
             (arith.maxnumf m (load-f32 16 f32 weights j)))))
         (def new-max (arith.maxnumf m block-max))
         (def new-maxes (vector.broadcast {:result vector<16xf32>} new-max))
         (def block-sum
           (lane-sum (fold [s zeros] [j 0 count16 16]
             (def e (exp-normal (- (load-f32 16 f32 weights j) new-maxes)))
             (store-f32 16 f32 e weights j)
             (+ s e))))
         (def keep (math.exp (- m new-max)))
         (def D64 (floor-to 64 D))
         (def D16 (floor-to 16 D))
         (for [d 0 D64 64] (attention-values ~A 16 4))
         (for [d D64 D16 16] (attention-values ~A 16 1))
         (for [d D16 D] (attention-values ~A 1 1))
         [new-max (math.fma s keep block-sum)]))
     (def share (/ (: 1.0 f32) s))
     (def shares (vector.broadcast {:result vector<16xf32>} share))
     (def full (floor-to 16 D))
     (for [d 0 full 16] (store-f32 16 ~A (* shares (load-f32 16 f32 sums d)) out t h d))
     (for [d full D] (store-f32 1 ~A (* share (memref.load sums d)) out t h d))))

;; Several tokens: a task is 4 tokens of a head, so that each loaded key or value is
;; used 4 times. Lane 4 i + k of a vector belongs to token i and the k-th of 4
;; positions; for j a multiple of 4, weights[4 j + 4 i + k] is the weight of token i
;; for position p0 + j + k. Tokens and positions beyond the last one load its data. A
;; token sees the positions up to its lane of `limits` and, with a window, beyond that
;; of `unseen`.
(defmacro attention-tile-scores [A]
  (let [is (range 4)
        each (fn [make] (apply concat (map (fn [i] (map (fn [k] (make i k)) is)) is)))
        name (fn [prefix i] (symbol (str prefix i)))
        acc (apply vector (each (fn [i k] (symbol (str "s" i "-" k)))))
        at (fn [i k] (nth acc (+ (* 4 i) k)))]
    `(do
       (for [j 0 count4 4]
         ~@(map (fn [k] `(def ~(name "row" k) (min last (+ p0 j ~k)))) is)
         (def ~acc
           (fold ~(apply vector (apply concat (map (fn [s] [s `zeros]) acc))) [d 0 D16 16]
             ~@(map (fn [i] `(def ~(name "q" i) (load-f32 16 ~A q ~(name "t" i) h d))) is)
             ~@(map (fn [k] `(def ~(name "k" k) (load-f32 16 ~A keys g ~(name "row" k) d))) is)
             ~(apply vector (each (fn [i k] `(vector.fma ~(name "q" i) ~(name "k" k) ~(at i k)))))))
         (def positions (+ lane-positions (vector.broadcast {:result vector<16xi32>} (cast i32 (+ p0 j)))))
         (def before-limit (<= positions limits))
         (def seen (if (has-window?) (arith.andi before-limit (> positions unseen)) before-limit))
         (store-f32 16 f32
           (arith.select seen (* scales (lane-sums ~acc)) (: -inf vector<16xf32>)) weights (* 4 j)))
       ;; Heads that are not a multiple of 16 wide.
       (if (< D16 D)
         (for [j 0 count]
           ~@(map (fn [i]
               `(let [place (+ (* 4 (floor-to 4 j)) (% j 4) ~(* 4 i))]
                  (memref.store
                    (fold [s (memref.load weights place)] [d D16 D]
                      (+ s (* scale (* (load-f32 1 ~A q ~(name "t" i) h d) (load-f32 1 ~A keys g (+ p0 j) d)))))
                    weights place)))
             is))))))

;; sums[i, d ..] = sums[i, d ..] * keep[i] + weights of i . v[p0 ..]
(defmacro attention-tile-values [A lanes vectors]
  (let [is (range 4)
        vs (range vectors)
        name (fn [prefix i] (symbol (str prefix i)))
        F (if (= lanes 1) `f32 (symbol (str "vector<" lanes "xf32>")))
        spread (fn [x] (if (= lanes 1) x `(vector.broadcast {:result ~F} ~x)))
        fma (if (= lanes 1) `math.fma `vector.fma)
        each (fn [make] (apply concat (map (fn [i] (map (fn [v] (make i v)) vs)) is)))
        acc (fn [i v] (symbol (str "sum" i "-" v)))
        accs (apply vector (each acc))]
    `(do
       (def ~accs
         (fold ~(apply vector (apply concat (each (fn [i v]
                  [(acc i v) `(* ~(spread `(vector.extract {:static_position ~(str "array<i64: " (* 4 i) ">")} keep))
                                 (load-f32 ~lanes f32 sums ~i (+ d ~(* v lanes))))]))))
               [j 0 count4 4]
           (def ~accs
             (fold ~(apply vector (apply concat (map (fn [s] [s s]) accs))) [k 0 4]
               (def row (min last (+ p0 j k)))
               (def place (+ (* 4 j) k))
               ~@(map (fn [v] `(def ~(name "v" v) (load-f32 ~lanes ~A values g row (+ d ~(* v lanes))))) vs)
               ~@(map (fn [i] `(def ~(name "w" i) ~(spread `(memref.load weights (+ place ~(* 4 i)))))) is)
               ~(apply vector (each (fn [i v] `(~fma ~(name "w" i) ~(name "v" v) ~(acc i v)))))))
           ~accs))
       ~@(each (fn [i v] `(store-f32 ~lanes f32 ~(acc i v) sums ~i (+ d ~(* v lanes))))))))

;; Reduces each group of 4 lanes (maximum or sum); all 4 lanes get the result.
(defmacro of-4-lanes [op v]
  `(let [a# ~v
         b# (~op a# (vector.shuffle {:mask "array<i64: 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>" :result
                                     vector<16xf32>} a# a#))]
     (~op b# (vector.shuffle {:mask "array<i64: 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>" :result
                              vector<16xf32>} b# b#))))

;; out[t0 .. t3, h]
(defmacro attention-tile [cached A]
  (let [is (range 4) name (fn [i] (symbol (str "t" i)))]
    `(with-stack weights memref<4096xf32>
       (def sums (stack memref<4x?xf32> D))
       ~@(map (fn [i] `(do (def ~(name i) (min (- T 1) (+ (* 4 tile) ~i)))
                           (for [d 0 D] (memref.store (: 0.0 f32) sums ~i d)))) is)
       (def D64 (floor-to 64 D))
       (def D16 (floor-to 16 D))
       (def length (end-of-seen ~cached t3))
       (def scales (vector.broadcast {:result vector<16xf32>} scale))
       (def lane-positions (arith.constant
                             {:value "dense<[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]> : vector<16xi32>"}))
       (def last-positions (vector.broadcast {:result vector<16xi32>} (cast i32 (- length 1))))
       (def own-positions
         (arith.minsi
           (vector.broadcast {:result vector<16xi32>} (cast i32 (+ o t3)))
           (+ (vector.broadcast {:result vector<16xi32>} (cast i32 (+ o t0)))
              (arith.constant {:value "dense<[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]> : vector<16xi32>"}))))
       (def limits (if (causal?) (arith.minsi own-positions last-positions) last-positions))
       (def unseen (- own-positions (vector.broadcast {:result vector<16xi32>} (cast i32 (window-length)))))
       (def [m s]
         (fold [m (: -1.0e30 vector<16xf32>) s zeros] [p0 (first-seen t0) length (attention-block)]
           (def count (min (attention-block) (- length p0)))
           (def count4 (* 4 (ceil-div count 4)))
           (def last (+ p0 (- count 1)))
           (attention-tile-scores ~A)
           (def block-max (fold [m m] [j 0 (* 4 count4) 16] (arith.maxnumf m (load-f32 16 f32 weights j))))
           (def new-max (of-4-lanes arith.maxnumf block-max))
           (def block-sum
             (fold [s zeros] [j 0 (* 4 count4) 16]
               (def e (exp-normal (- (load-f32 16 f32 weights j) new-max)))
               (store-f32 16 f32 e weights j)
               (+ s e)))
           (def keep (exp-normal (- m new-max)))
           (for [d 0 D64 64] (attention-tile-values ~A 16 4))
           (for [d D64 D16 16] (attention-tile-values ~A 16 1))
           (for [d D16 D] (attention-tile-values ~A 1 1))
           [new-max (vector.fma s keep block-sum)]))
       (def shares (/ (: 1.0 vector<16xf32>) (of-4-lanes + s)))
       ~@(map (fn [i]
           `(let [share (vector.extract {:static_position ~(str "array<i64: " (* 4 i) ">")} shares)
                  share16 (vector.broadcast {:result vector<16xf32>} share)]
              (for [d 0 D16 16] (store-f32 16 ~A (* share16 (load-f32 16 f32 sums ~i d)) out ~(name i) h d))
              (for [d D16 D] (store-f32 1 ~A (* share (memref.load sums ~i d)) out ~(name i) h d))))
         is)
       (for [i 0 4]
         (def odd (fold [odd zeros] [d 0 D16 16] (vector.fma zeros (load-f32 16 f32 sums i d) odd)))
         (def odd (fold [odd (lane-sum odd)] [d D16 D] (math.fma (: 0.0 f32) (memref.load sums i d) odd)))
         (when (!= odd (: 0.0 f32)) ; 0 times what is not finite is NaN.
           (attention-again ~cached ~A (min (- T 1) (+ (* 4 tile) i)) [sums i d]))))))

;; unit: of attention-tiles, nil for none. With vdpbf16ps a few tokens are not worth packing all keys and values.
(defmacro cpu-attention [target unit cached A]
  (let [fours `(parallel [h H tile (ceil-div T 4)]
                 (def g (/ h sharing))
                 (attention-tile ~cached ~A))
        tiles `(attention-tiles ~unit ~cached ~A)]
    `(attention-template {:for [~target] :attrs [mask window scale] :groups [attention whole-attention]} ~cached ~A
       (def o (first-position ~cached))
       (def L (position-count ~cached))
       (def keys ~(if cached `key_cache `(heads-of-rows ~A k)))
       (def values ~(if cached `value_cache `(heads-of-rows ~A v)))
       (def zeros (: 0.0 vector<16xf32>))
       ;; A task of one token that shares its keys with no other stores them itself.
       ~(if cached
          `(when (or (> T 1) (> sharing 1))
             (parallel [g G t T]
               (attention-keep ~A k keys)
               (attention-keep ~A v values)))
          `(do))
       (if (= T 1)
         (parallel [h H]
           (def g (/ h sharing))
           (def t (: 0 index))
           ~(if cached
              `(when (= sharing 1)
                 (attention-keep ~A k keys)
                 (attention-keep ~A v values))
              `(do))
           (attention-attend ~cached ~A))
         ~(cond
            (nil? unit) fours
            (= unit "dots") `(if (< T 16) ~fours ~tiles)
            :else tiles)))))

;; The first template that fits is selected.
(defmacro attention-templates [target unit & types]
  `(do
     ~@(apply concat (map (fn [A] (map (fn [cached] `(cpu-attention ~target ~unit ~cached ~A)) [false true])) types))))
(attention-templates cpu+avx512-bf16+amx-bf16 "amx" f32 bf16)
(attention-templates cpu+avx512-bf16 "dots" bf16)
(attention-templates cpu nil f32 bf16)

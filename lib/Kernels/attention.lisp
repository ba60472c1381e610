;; attention.lisp - nn.attention on a CPU
;;
;; A parallel task is a head and one token, or 4 of several (with AMX, blocks of 32). Positions are processed in blocks
;; of 1024, whose scores and then weights are on the stack; the running maximum and sum of the online softmax (Milakov
;; and Gimelshein 2018) combine the blocks. A sequence of up to 1024 positions is thus a plain softmax, and a longer one
;; needs no more memory.
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

;; A task is n tokens of a head, 1 or 4, so that each loaded key or value is used n times. With q = 16 / n, lane q i + k
;; of a vector belongs to token i and the k-th of q positions; for j a multiple of q, weights[n j + q i + k] is the
;; weight of token i for position p0 + j + k. Tokens and positions beyond the last one load its data. Of 4 tokens, each
;; sees the positions up to its lane of `limits` and, with a window, beyond that of `unseen`. For one token, which waits
;; for memory, the next positions are prefetched.
(defmacro attention-weight-place [n i p]
  (if (= n 1) p `(+ (* 4 (floor-to 4 ~p)) (% ~p 4) ~(* 4 i))))
(defmacro attention-tile-scores [A n]
  (let [is (range n)
        ks (range (quotient 16 n))
        each (fn [make] (apply concat (map (fn [i] (map (fn [k] (make i k)) ks)) is)))
        name (fn [prefix i] (symbol (str prefix i)))
        at (fn [i k] (symbol (str "s" i "-" k)))
        acc (apply vector (each at))]
    `(do
       (for [j 0 padded ~(count ks)]
         ~@(map (fn [k] `(def ~(name "row" k) (min last (+ p0 j ~k)))) ks)
         (def ~acc
           (fold ~(apply vector (apply concat (map (fn [s] [s `zeros]) acc))) [d 0 D16 16]
             ~@(map (fn [i] `(def ~(name "q" i) (load-f32 16 ~A q ~(name "t" i) h d))) is)
             ~@(if (= n 1) (map (fn [k] `(prefetch keys g (+ ~(name "row" k) 16) d)) ks) [])
             ~@(map (fn [k] `(def ~(name "k" k) (load-f32 16 ~A keys g ~(name "row" k) d))) ks)
             ~(apply vector (each (fn [i k] `(vector.fma ~(name "q" i) ~(name "k" k) ~(at i k)))))))
         (def positions (+ lane-positions (vector.broadcast {:result vector<16xi32>} (cast i32 (+ p0 j)))))
         (def before-limit (<= positions limits))
         (def seen ~(if (= n 1) `before-limit
                      `(if (has-window?) (arith.andi before-limit (> positions unseen)) before-limit)))
         (store-f32 16 f32
           (arith.select seen (* scales (lane-sums ~acc)) (: -inf vector<16xf32>)) weights (* ~n j)))
       ;; Heads that are not a multiple of 16 wide.
       (if (< D16 D)
         (for [j 0 count]
           ~@(map (fn [i]
               `(let [place (attention-weight-place ~n ~i j)]
                  (memref.store
                    (fold [s (memref.load weights place)] [d D16 D]
                      (+ s (* scale (* (load-f32 1 ~A q ~(name "t" i) h d) (load-f32 1 ~A keys g (+ p0 j) d)))))
                    weights place)))
             is))))))

;; sums[i, d ..] = sums[i, d ..] * keep[i] + weights of i . v[p0 ..] for `vectors` * `lanes` columns; of one token the
;; sums of even and odd positions are apart, which shortens the dependency chain.
(defmacro attention-tile-values [A n lanes vectors]
  (let [is (range n)
        vs (range vectors)
        us (range (if (= n 1) 2 1))
        name (fn [prefix i j] (symbol (str prefix i "-" j)))
        F (if (= lanes 1) `f32 (symbol (str "vector<" lanes "xf32>")))
        spread (fn [x] (if (= lanes 1) x `(vector.broadcast {:result ~F} ~x)))
        fma (if (= lanes 1) `math.fma `vector.fma)
        row (fn [u] (if (= n 1) `(min last (+ p0 p ~u)) `(+ p0 p)))
        each (fn [make]
               (apply concat (map (fn [i] (apply concat (map (fn [v] (map (fn [u] (make i v u)) us)) vs))) is)))
        acc (fn [i v u] (symbol (str "sum" i "-" v "-" u)))
        kept (fn [i v]
               `(* ~(spread `(vector.extract {:static_position ~(str "array<i64: " (* i (quotient 16 n)) ">")} keep))
                   (load-f32 ~lanes f32 sums ~i (+ d ~(* v lanes)))))]
    `(do
       (def ~(apply vector (each acc))
         (fold ~(apply vector (apply concat (each (fn [i v u] [(acc i v u) (if (= u 0) (kept i v) `(: 0.0 ~F))]))))
               [p 0 (* ~(count us) (ceil-div count ~(count us))) ~(count us)]
           ~@(if (= n 1)
               (apply concat
                 (map (fn [u] (map (fn [v] `(prefetch values g (+ p0 p ~(+ 16 u)) (+ d ~(* v lanes)))) vs)) us)) [])
           ~@(apply concat (map (fn [u]
               (concat [`(def row ~(row u))]
                 (map (fn [v] `(def ~(name "v" v u) (load-f32 ~lanes ~A values g row (+ d ~(* v lanes))))) vs)
                 (map (fn [i] `(def ~(name "w" i u)
                                 ~(spread `(memref.load weights (attention-weight-place ~n ~i (+ p ~u)))))) is)))
               us))
           ~(apply vector (each (fn [i v u] `(~fma ~(name "w" i u) ~(name "v" v u) ~(acc i v u)))))))
       ~@(apply concat (map (fn [i]
           (map (fn [v] `(store-f32 ~lanes f32 ~(if (= n 1) `(+ ~(acc i v 0) ~(acc i v 1)) (acc i v 0)) sums ~i
                                    (+ d ~(* v lanes)))) vs)) is)))))

;; The maximum or the sum of a token's lanes, in all of them.
(defmacro of-4-lanes [op v]
  `(let [a# ~v
         b# (~op a# (vector.shuffle {:mask "array<i64: 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>" :result
                                     vector<16xf32>} a# a#))]
     (~op b# (vector.shuffle {:mask "array<i64: 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>" :result
                              vector<16xf32>} b# b#))))
(defmacro of-token [n op reduce v]
  (if (= n 1) `(vector.broadcast {:result vector<16xf32>} (~reduce ~v)) `(of-4-lanes ~op ~v)))

;; A number of each lane.
(defmacro lane-numbers [numbers]
  `(arith.constant {:value ~(str "dense<[" (reduce (fn [text i] (str text ", " i)) numbers) "]> : vector<16xi32>")}))

;; out[t0 .. , h]
(defmacro attention-tile [cached A n]
  (let [is (range n)
        each (quotient 16 n)
        name (fn [i] (symbol (str "t" i)))
        last-token (name (- n 1))
        spread (fn [x] `(vector.broadcast {:result vector<16xi32>} (cast i32 ~x)))]
    `(with-stack weights ~(str "memref<" (* n 1024) "xf32>")
       (def sums (stack ~(str "memref<" n "x?xf32>") D))
       ~@(map (fn [i] `(do (def ~(name i) (min (- T 1) (+ (* ~n tile) ~i)))
                           (for [d 0 D] (memref.store (: 0.0 f32) sums ~i d)))) is)
       (def D64 (floor-to 64 D))
       (def D16 (floor-to 16 D))
       (def length (end-of-seen ~cached ~last-token))
       (def scales (vector.broadcast {:result vector<16xf32>} scale))
       (def lane-positions (lane-numbers ~(map (fn [lane] (mod lane each)) (range 16))))
       (def last-positions ~(spread `(- length 1)))
       ~@(if (= n 1) [`(def limits last-positions)]
           [`(def own-positions
               (arith.minsi ~(spread `(+ o ~last-token))
                 (+ ~(spread `(+ o t0)) (lane-numbers ~(map (fn [lane] (quotient lane each)) (range 16))))))
            `(def limits (if (causal?) (arith.minsi own-positions last-positions) last-positions))
            `(def unseen (- own-positions ~(spread `(window-length))))])
       (def [m s]
         (fold [m (: -1.0e30 vector<16xf32>) s zeros] [p0 (first-seen t0) length (attention-block)]
           (def count (min (attention-block) (- length p0)))
           (def padded (* ~each (ceil-div count ~each)))
           (def last (+ p0 (- count 1)))
           (attention-tile-scores ~A ~n)
           (def block-max (fold [m m] [j 0 (* ~n padded) 16] (arith.maxnumf m (load-f32 16 f32 weights j))))
           (def new-max (of-token ~n arith.maxnumf lane-max block-max))
           (def block-sum
             (fold [s zeros] [j 0 (* ~n padded) 16]
               (def e (exp-normal (- (load-f32 16 f32 weights j) new-max)))
               (store-f32 16 f32 e weights j)
               (+ s e)))
           (def keep (exp-normal (- m new-max)))
           (for [d 0 D64 64] (attention-tile-values ~A ~n 16 4))
           (for [d D64 D16 16] (attention-tile-values ~A ~n 16 1))
           (for [d D16 D] (attention-tile-values ~A ~n 1 1))
           [new-max (vector.fma s keep block-sum)]))
       (def shares (/ (: 1.0 vector<16xf32>) (of-token ~n + lane-sum s)))
       ~@(map (fn [i]
           `(let [share (vector.extract {:static_position ~(str "array<i64: " (* each i) ">")} shares)
                  share16 (vector.broadcast {:result vector<16xf32>} share)]
              (for [d 0 D16 16] (store-f32 16 ~A (* share16 (load-f32 16 f32 sums ~i d)) out ~(name i) h d))
              (for [d D16 D] (store-f32 1 ~A (* share (memref.load sums ~i d)) out ~(name i) h d))))
         is)
       (for [i 0 ~n]
         (def odd (fold [odd zeros] [d 0 D16 16] (vector.fma zeros (load-f32 16 f32 sums i d) odd)))
         (def odd (fold [odd (lane-sum odd)] [d D16 D] (math.fma (: 0.0 f32) (memref.load sums i d) odd)))
         (when (!= odd (: 0.0 f32)) ; 0 times what is not finite is NaN.
           (attention-again ~cached ~A (min (- T 1) (+ (* ~n tile) i)) [sums i d]))))))

;; unit: of attention-tiles, nil for none. With vdpbf16ps a few tokens are not worth packing all keys and values.
(defmacro cpu-attention [target unit cached A]
  (let [fours `(parallel [h H tile (ceil-div T 4)]
                 (def g (/ h sharing))
                 (attention-tile ~cached ~A 4))
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
           (def tile (: 0 index))
           (def t tile)
           ~(if cached
              `(when (= sharing 1)
                 (attention-keep ~A k keys)
                 (attention-keep ~A v values))
              `(do))
           (attention-tile ~cached ~A 1))
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

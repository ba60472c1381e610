;; gpu-attention.lisp - nn.attention on a GPU: causal, over a key and value cache
;;
;; Portable kernels for one token, and for any number of tokens and any head size. gpu-attention-prefill.lisp has those
;; for several tokens on tensor cores.
;;
;; One token: a block, or a cluster of blocks, computes a head. A team of D / 8 lanes reads a key at once, 16 bytes per
;; lane (BF16). Positions are distributed over the teams, four at a time; each team keeps its own maximum, sum and
;; weighted values (the online softmax of Milakov and Gimelshein 2018). At the end the teams' results are combined: by
;; shuffles within groups of 32 lanes, then through shared memory of the block and of the cluster. The kernel reads the
;; position from memory, so that a captured graph can be replayed for every token.

(require-macros "gpu-dependent-launch.lisp" "gpu-tensor-core.lisp" "gpu-attention-prefill.lisp")

;; Sum over the lanes of a team.
(defmacro team-sum [D v]
  (reduce (fn [sum step] (let [s (gensym)] `(let [~s ~sum] (+ ~s (shuffle-xor ~s ~step)))))
          v (filter (fn [step] (< step (/ D 8))) [1 2 4 8 16])))

;; Shuffles a vector one element at a time.
(defmacro shuffle-vector [v step]
  (let [at (fn [i] (str "array<i64: " i ">"))]
    (reduce (fn [out i] `(vector.insert {:static_position ~(at i)}
                           (shuffle-xor (vector.extract {:static_position ~(at i)} ~v) ~step) ~out))
            `(: 0.0 vector<8xf32>) (range 8))))

;; Initial value of a maximum: below all realistic scores, but finite, so that -inf minus it is -inf and not NaN.
(defmacro no-score [] `(: -1.0e30 f32))

;; One block per head, or a cluster where the target has clusters. Only the capacity of the cache is known at launch,
;; not the position.
(defmacro attend-one [A D]
  (let [how (tuning :attend-one)]
    (if (= (get how :blocks) 1) `(attend-one-by 1 ~A ~D)
      `(if (<= (memref.dim key_cache 1) ~(get how :alone)) (attend-one-by 1 ~A ~D) (attend-one-by ~(get how :blocks) ~A ~D)))))

;; Prefetches rows p of both caches into L2, before the wait. The position may still be the previous token's, which is
;; harmless for a prefetch.
(defmacro prefetch-caches [A ps]
  (let [last (gensym)
        prefetch (fn [cache p]
          (let [address (gensym) stride (gensym)]
            `(do
               (def-rows-of (cast i64 h) ~address ~stride ~A ~cache)
               (nvvm.prefetch {:cacheLevel "#nvvm<prefetch_cache_level L2>"}
                 (place 1 ~A ~address (+ (* (cast i64 ~p) ~stride) (cast i64 d)))))))]
    (if (target-has? :dependent-launch)
      `(let [~last (min (cast index (memref.load position 0)) (- (memref.dim key_cache 1) 1))]
         ~@(map (fn [p] `(when (<= ~p ~last) ~(prefetch `key_cache p) ~(prefetch `value_cache p))) ps))
      `(do))))

(defmacro attend-one-by [blocks A D]
  (let [threads (if (= blocks 1) 512 256)
        us (range 4)
        name (fn [prefix i] (symbol (str prefix i)))
        V (symbol (str "vector<8x" A ">"))
        all (fn [prefix] (map (fn [u] (name prefix u)) us))
        parts (/ threads 32)
        teams (/ (* blocks threads) (/ D 8))
        place-of (fn [u] `(+ team ~(* u teams)))
        rows (apply vector (concat (all "k") (all "v")))
        ;; Reads rows beyond the position, too, rather than wait for the position; their scores are masked.
        load-rows (fn [first]
          (apply concat (map (fn [u]
            [`(def ~(name "p" u) (min (+ ~first ~(place-of u)) (- (memref.dim key_cache 1) 1)))
             `(def ~(name "k" u) (vector.load {:result ~V} key_cache h ~(name "p" u) d))
             `(def ~(name "v" u) (vector.load {:result ~V} value_cache h ~(name "p" u) d))]) us)))
        join (fn [step]
               [`(def m2 (shuffle-xor m ~step))
                `(def s2 (shuffle-xor s ~step))
                `(def acc2 (shuffle-vector acc ~step))
                `(def most (arith.maxnumf m m2))
                `(def a (math.exp (- m most)))
                `(def b (math.exp (- m2 most)))
                `(def m most)
                `(def s (math.fma s a (* s2 b)))
                `(def acc (vector.fma acc (spread vector<8xf32> a) (* acc2 (spread vector<8xf32> b))))])]
    `(launch ~(if (= blocks 1) `{:name attention-one :grid [H] :block [~threads]}
                `{:name attention-one :grid [(* ~blocks H)] :block [~threads] :cluster [~blocks]})
       (def maxima (shared f32 [~parts]))
       (def sums (shared f32 [~parts]))
       (def values (shared f32 [~parts ~D]))
       (launch-dependents)
       (def h (/ (block-id :x) ~blocks))
       (def team (+ (* (% (block-id :x) ~blocks) ~(/ threads (/ D 8))) (/ (thread-id :x) ~(/ D 8))))
       (def d (* 8 (% (thread-id :x) ~(/ D 8))))
       (prefetch-caches ~A ~(map place-of us))
       (wait-for-predecessors)
       (def o (cast index (memref.load position 0)))
       (def column (+ (* h ~D) d))
       ;; Issue the loads of the first keys and values before the query is available.
       ~@(load-rows `(: 0 index))
       (def q (* (load-f32 8 ~A qkv 0 column) (spread vector<8xf32> scale)))
       ;; Store the token's own key and value to the caches. Team 0 starts with them from registers, so no thread reads
       ;; them back.
       (def key (vector.load {:result ~V} qkv 0 (+ C column)))
       (def value (vector.load {:result ~V} qkv 0 (+ (* 2 C) column)))
       (when (= team 0)
         (vector.store key key_cache h o d)
         (vector.store value value_cache h o d))
       (def own (team-sum ~D (lane-sum (* q (cast vector<8xf32> key)))))
       ;; Uniform trip count for all threads, because the lanes of a warp shuffle.
       (def [m s acc ~@rows]
         (fold [m (if (= team 0) own (no-score)) s (if (= team 0) (: 1.0 f32) (: 0.0 f32))
               acc (if (= team 0) (cast vector<8xf32> value) (: 0.0 vector<8xf32>))
               ~@(apply concat (map (fn [row] [row row]) rows))] [first 0 o ~(* (count us) teams)]
           ~@(map (fn [u] `(def ~(name "inside" u) (< (+ first ~(place-of u)) o))) us)
           ~@(map (fn [u] `(def ~(name "v" u) (arith.select ~(name "inside" u) ~(name "v" u) (: 0.0 ~V)))) us)
           ~@(map (fn [u] `(def ~(name "dot" u) (team-sum ~D (lane-sum (* q (cast vector<8xf32> ~(name "k" u))))))) us)
           ~@(map (fn [u] `(def ~(name "score" u) (arith.select ~(name "inside" u) ~(name "dot" u) (: -inf f32)))) us)
           (def most ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) `m (all "score")))
           (def keep (math.exp (- m most)))
           ~@(map (fn [u] `(def ~(name "e" u) (math.exp (- ~(name "score" u) most)))) us)
           (def s (math.fma s keep (+ ~@(all "e"))))
           (def acc
             ~(reduce (fn [sum u] `(vector.fma (cast vector<8xf32> ~(name "v" u)) (spread vector<8xf32> ~(name "e" u)) ~sum))
                      `(* acc (spread vector<8xf32> keep)) us))
           (def next (+ first ~(* (count us) teams)))
           (def ~rows (if (< next o) (do ~@(load-rows `next) ~rows) (do ~rows)))
           [most s acc ~@rows]))
       ;; Combine the teams within 32 lanes.
       ~@(apply concat (map join (filter (fn [step] (>= step (/ D 8))) [1 2 4 8 16])))
       (def part (/ (thread-id :x) 32))
       (when (< (% (thread-id :x) 32) ~(/ D 8))
         (vector.store acc values part d))
       (when (= (% (thread-id :x) 32) 0)
         (memref.store m maxima part)
         (memref.store s sums part))
       (barrier)
       ~(if (= blocks 1) `(attend-finish ~A ~D ~parts) `(attend-finish-together ~A ~D ~parts ~blocks)))))

;; Combines the parts of a block.
(defmacro attend-finish [A D parts]
  `(do
     ;; Replace each part's maximum by the factor of its values: e^(maximum - overall maximum) / total of all weights.
     (when (< (thread-id :x) (warp-size))
       (def mine (min (thread-id :x) ~(- parts 1)))
       (def m (if (< (thread-id :x) ~parts) (memref.load maxima mine) (no-score)))
       (def share (math.exp (- m (warp-reduce :max m))))
       (def whole (warp-reduce :add (if (< (thread-id :x) ~parts) (* share (memref.load sums mine)) (: 0.0 f32))))
       (when (< (thread-id :x) ~parts) (memref.store (/ share whole) maxima mine)))
     (barrier)
     (when (< (thread-id :x) ~D)
       (def x (thread-id :x))
       (memref.store
         (cast ~A (+ ~@(map (fn [i] `(* (memref.load maxima ~i) (memref.load values ~i x))) (range parts))))
         out 0 (+ (* h ~D) x)))))

;; Each block combines its parts into one, which all blocks of the cluster can read. Then each block reduces D / blocks
;; columns over all blocks: `blocks` lanes per column, one for each block's part.
(defmacro attend-finish-together [A D parts blocks]
  (let [ps (range parts)
        name (fn [prefix i] (symbol (str prefix i)))
        steps (filter (fn [step] (< step blocks)) [1 2 4 8 16])
        over-blocks (fn [how v]
          (reduce (fn [all step] (let [x (gensym)] `(let [~x ~all] (~how ~x (shuffle-xor ~x ~step))))) v steps))]
    `(do
       (def ours (shared f32 [~(+ D 2)])) ; D values, the maximum, the sum.
       (when (< (thread-id :x) ~D)
         (def x (thread-id :x))
         ~@(map (fn [i] `(def ~(name "m" i) (memref.load maxima ~i))) ps)
         (def most ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) (map (fn [i] (name "m" i)) ps)))
         ~@(map (fn [i] `(def ~(name "share" i) (math.exp (- ~(name "m" i) most)))) ps)
         (memref.store (+ ~@(map (fn [i] `(* ~(name "share" i) (memref.load values ~i x))) ps)) ours x)
         (when (= x 0)
           (memref.store most ours ~D)
           (memref.store (+ ~@(map (fn [i] `(* ~(name "share" i) (memref.load sums ~i))) ps)) ours ~(+ D 1))))
       (cluster-barrier)
       (when (< (thread-id :x) ~D)
         (def x (+ (* ~(/ D blocks) (% (block-id :x) ~blocks)) (/ (thread-id :x) ~blocks)))
         (def theirs (shared-of (pointer-to 3 ours) (cast i32 (% (thread-id :x) ~blocks))))
         (def v (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs (cast i64 x))))
         (def m (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs ~D)))
         (def s (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs ~(+ D 1))))
         (def share (math.exp (- m ~(over-blocks `arith.maxnumf `m))))
         (def value ~(over-blocks `+ `(* share v)))
         (def whole ~(over-blocks `+ `(* share s)))
         (when (= (% (thread-id :x) ~blocks) 0)
           (memref.store (cast ~A (/ value whole)) out 0 (+ (* h ~D) x))))
       ;; A block must not exit while others read its shared memory.
       (cluster-barrier))))

;; --- any number of tokens, any head -----------------------------------------

;; The score of position p. A collective: all lanes of the warp must reach it.
(defmacro attend-score [A]
  `(* scale
      (warp-reduce :add
        (fold [s (: 0.0 f32)] [d (lane-id) D (warp-size)]
          (def k (if (< p o) (memref.load key_cache h p d) (memref.load qkv (- p o) (+ C hD d))))
          (+ s (* (cast f32 (memref.load qkv t (+ hD d))) (cast f32 k)))))))

;; One warp per token and head. Keys and values of this call are read from qkv, so that no warp waits until another has
;; stored them; scores are recomputed for each chunk of columns.
(defmacro attend-any [A]
  `(launch {:name attention-any :grid [(ceil-div (* T H) 4)] :block [128]}
     (def o (cast index (memref.load position 0)))
     (def warps (/ (block-dim :x) (warp-size)))
     (for [row (+ (* (block-id :x) warps) (warp-id)) (* T H) (* (grid-dim :x) warps)]
       (def t (/ row H))
       (def h (% row H))
       (def hD (* h D))
       (for [d (lane-id) D (warp-size)]
         (memref.store (memref.load qkv t (+ C hD d)) key_cache h (+ o t) d)
         (memref.store (memref.load qkv t (+ (* 2 C) hD d)) value_cache h (+ o t) d))
       (def [m s]
         (fold [m (no-score) s (: 0.0 f32)] [p 0 (+ o t 1)]
           (def score (attend-score ~A))
           (def most (arith.maxnumf m score))
           [most (+ (* s (math.exp (- m most))) (math.exp (- score most)))]))
       (for [d0 0 D (warp-size)]
         (def d (+ d0 (lane-id)))
         (def column (min d (- D 1)))
         (def y
           (fold [y (: 0.0 f32)] [p 0 (+ o t 1)]
             (def score (attend-score ~A))
             (def v (if (< p o) (memref.load value_cache h p column) (memref.load qkv (- p o) (+ (* 2 C) hD column))))
             (+ y (* (math.exp (- score m)) (cast f32 v)))))
         (when (< d D) (memref.store (cast ~A (/ y s)) out t (+ hD d)))))))

;; --- the templates ----------------------------------------------------------

;; Whether all rows of both caches and of qkv can be read 8 columns at a time.
(defmacro attention-aligned [A]
  `(= (: 0 index)
      (+ (misaligned 8 ~A qkv 0) (% D 8)
         ~@(apply concat (map (fn [cache] (map (fn [at] `(misaligned 8 ~A ~cache ~@at)) [[0 0] [1 0] [0 1]]))
                              [`key_cache `value_cache])))))

;; One token with head size 64 or 128 has its own kernels; `body` handles several tokens and other head sizes.
(defmacro gpu-attention-template [attributes A & body]
  (let [rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))
        cache (fn [T] (str "memref<?x?x?x" T ", strided<[?, ?, 1], offset: ?>>"))]
    `(deftemplate nn.attention ~attributes
       [(: qkv ~(rows A)) (: key_cache ~(cache A)) (: value_cache ~(cache A))
        (: position "memref<1xi32, strided<[1], offset: ?>>") (: out ~(rows A))]
       (def T (memref.dim qkv 0))
       (def H (memref.dim key_cache 0))
       (def D (memref.dim key_cache 2))
       (def C (* H D))
       (def scale (/ (: 1.0 f32) (math.sqrt (cast f32 D))))
       (def one (arith.andi (= T 1) (attention-aligned ~A)))
       (if (arith.andi one (= D 64)) (attend-one ~A 64)
         (if (arith.andi one (= D 128)) (attend-one ~A 128)
           (do ~@body))))))

;; Several tokens on tensor cores, with the kernels of tuning.lisp. Static head sizes without a kernel do not match.
(defmacro attention-for-size [A]
  `(do
     (def in-chunks (attention-in-chunks ~A))
     ~(reduce (fn [rest row] `(if (arith.andi in-chunks (= D ~(nth row 0))) (attention-prefill ~A ~@row) ~rest))
              `(attend-any ~A) (if (= (str A) "f32") (tuning :attention-f32) (tuning :attention-bf16)))))
(defmacro tensor-core-attention [A & sizes]
  `(gpu-attention-template {:for [gpu+mma-bf16] :sizes [[key_cache 2 ~@sizes] [value_cache 2 ~@sizes]]} ~A (attention-for-size ~A)))

;; The first template that fits is selected.
(tensor-core-attention bf16 64 128)
(tensor-core-attention f32 64)
(gpu-attention-template {:for [gpu]} f32 (attend-any f32))
(gpu-attention-template {:for [gpu]} bf16 (attend-any bf16))

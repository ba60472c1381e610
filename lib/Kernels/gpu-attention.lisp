;; gpu-attention.lisp - nn.attention on a GPU
;;
;; The kernels of one token with caches, and the templates: gpu-attention-prefill.lisp has several tokens on tensor
;; cores, and gpu-attention-tiles.lisp a tile program for all else.
;;
;; One token: a block, or a cluster of blocks, computes a head of queries. A team of D / 8 lanes, rounded up to a power
;; of two, reads a key at once, 16 bytes per lane (BF16). Positions are distributed over the teams, four at a time. (A
;; block that is alone has few positions: two at a time of F32, as four need so many registers that the last loads wait
;; for the first.) Each team keeps its own maximum, sum and weighted values (the online softmax of Milakov and
;; Gimelshein 2018). At the end the teams' results are combined: by shuffles within groups of 32 lanes, then through
;; shared memory of the block and of the cluster. The kernel reads the position from memory, so that a captured graph
;; can be replayed for every token.
;; For nn.rotated_attention each block rotates the query and the key that it reads.

(require-macros "attention-operands.lisp" "gpu-dependent-launch.lisp" "gpu-tensor-core.lisp"
  "gpu-attention-prefill.lisp"
                "gpu-attention-tiles.lisp")

;; Sum over the lanes of a team.
(defmacro team-sum [width v]
  (reduce (fn [sum step] (let [s (gensym)] `(let [~s ~sum] (+ ~s (shuffle-xor ~s ~step)))))
          v (filter (fn [step] (< step (/ width 8))) [1 2 4 8 16])))

;; Shuffles a vector one element at a time.
(defmacro shuffle-vector [v step]
  (let [at (fn [i] (str "array<i64: " i ">"))]
    (reduce (fn [out i] `(vector.insert {:static_position ~(at i)}
                           (shuffle-xor (vector.extract {:static_position ~(at i)} ~v) ~step) ~out))
            `(: 0.0 vector<8xf32>) (range 8))))

;; Initial value of a maximum: below all realistic scores, but finite, so that -inf minus it is -inf and not NaN.
(defmacro no-score [] `(: -1.0e30 f32))

;; One block per head, or a cluster where the target has clusters. Only the capacity of the cache is known at launch,
;; not the position. width: a power of two, at least D.
(defmacro attend-one [A width rotated]
  (let [how (tuning :attend-one)]
    (if (= (get how :blocks) 1) `(attend-one-by 1 ~A ~width ~rotated)
      `(if (<= (memref.dim key_cache 1) ~(get how :alone)) (attend-one-by 1 ~A ~width ~rotated)
         (attend-one-by ~(get how :blocks) ~A ~width ~rotated)))))

;; Columns d .. d + 8 of a head of the new token, as f32. Those of `rotated` heads are rounded to A, as they would be in
;; memory; `other` are the columns that they are rotated with.
(defmacro new-head [rotated A rows head]
  (if rotated
    `(cast vector<8xf32>
       (cast ~(symbol (str "vector<8x" A ">"))
         (vector.fma (load-f32 8 ~A ~rows 0 ~head other) sine (* (load-f32 8 ~A ~rows 0 ~head d) cosine))))
    `(load-f32 8 ~A ~rows 0 ~head d)))

(defmacro attend-one-by [blocks A width rotated]
  (let [threads (if (= blocks 1) 512 256)
        us (range (if (= blocks 1) (if (= (str A) "f32") 2 4) 4))
        name (fn [prefix i] (symbol (str prefix i)))
        V (symbol (str "vector<8x" A ">"))
        all (fn [prefix] (map (fn [u] (name prefix u)) us))
        parts (/ threads 32)
        teams (/ (* blocks threads) (/ width 8))
        place-of (fn [u] `(+ team ~(* u teams)))
        rows (apply vector (concat (all "k") (all "v")))
        row-of (fn [first u] `(min (+ ~first ~(place-of u)) (- (memref.dim key_cache 1) 1)))
        ;; Reads rows beyond the position, too, rather than wait for the position; their scores are masked.
        load-rows (fn [first]
          (apply concat (map (fn [u]
            [`(def ~(name "p" u) ~(row-of first u))
             `(def ~(name "k" u) (vector.load {:result ~V} key_cache g ~(name "p" u) d))
             `(def ~(name "v" u) (vector.load {:result ~V} value_cache g ~(name "p" u) d))]) us)))
        ;; Prefetches the first rows into L2, before the wait. Unless a window begins at a row that depends on the
        ;; position, the addresses are those of the loads, which are thus computed before the wait, too. The position
        ;; may still be the previous token's, which is harmless for a prefetch.
        prefetch-rows
          (if (target-has? :dependent-launch)
            `(do (def early
                   (if (has-window?) (let [o (cast index (memref.load position 0))] (first-seen 0)) (: 0 index)))
                 ~@(apply concat (map (fn [u] [`(prefetch-far key_cache g ~(row-of `early u) d)
                                               `(prefetch-far value_cache g ~(row-of `early u) d)]) us)))
            `(do))
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
    ;; The grid is that of the heads which share keys, by the heads of keys: a thread has nothing to divide by.
    `(launch ~(if (= blocks 1) `{:name attention-one :grid [sharing G] :block [~threads]}
                `{:name attention-one :grid [(* ~blocks sharing) G] :block [~threads] :cluster [~blocks]})
       (def maxima (shared f32 [~parts]))
       (def sums (shared f32 [~parts]))
       (def values (shared f32 [~parts ~width]))
       (launch-dependents)
       (def sharer (/ (block-id :x) ~blocks))
       (def g (block-id :y))
       (def h (+ (* g sharing) sharer))
       (def team (+ (* (% (block-id :x) ~blocks) ~(/ threads (/ width 8))) (/ (thread-id :x) ~(/ width 8))))
       ;; Lanes beyond the head's end repeat its last columns; their q is 0, and their values are not used.
       (def lane-column (* 8 (% (thread-id :x) ~(/ width 8))))
       (def d (min lane-column (- D 8)))
       ~prefetch-rows
       (wait-for-predecessors)
       (def o (cast index (memref.load position 0)))
       (def start (first-seen 0))
       ;; Issue the loads of the first keys and values before the query is available.
       ~@(load-rows `start)
       (def q-scale (arith.select (< lane-column D) scale (: 0.0 f32)))
       ~@(if rotated
           [`(def half (/ D 2))
            `(def second (>= d half))
            `(def other (arith.select second (- d half) (+ d half)))
            `(def cosine (load-f32 8 f32 cosines 0 (min d other)))
            `(def sine (* (spread vector<8xf32> (arith.select second (: 1.0 f32) (: -1.0 f32)))
                          (load-f32 8 f32 sines 0 (min d other))))]
           [])
       (def query (* (new-head ~rotated ~A q h) (spread vector<8xf32> q-scale)))
       ;; Store the token's own key and value to the caches. Team 0 starts with them from registers, so no thread reads
       ;; them back; one of the heads that share them stores them.
       (def key (cast ~V (new-head ~rotated ~A k g)))
       (def value (vector.load {:result ~V} v 0 g d))
       (when (= team 0)
         (when (= sharer 0)
           (vector.store key key_cache g o d)
           (vector.store value value_cache g o d)))
       (def own (team-sum ~width (lane-sum (* query (cast vector<8xf32> key)))))
       ;; Uniform trip count for all threads, because the lanes of a warp shuffle.
       (def [m s acc ~@rows]
         (fold [m (if (= team 0) own (no-score)) s (if (= team 0) (: 1.0 f32) (: 0.0 f32))
               acc (if (= team 0) (cast vector<8xf32> value) (: 0.0 vector<8xf32>))
               ~@(apply concat (map (fn [row] [row row]) rows))] [first start o ~(* (count us) teams)]
           ~@(map (fn [u] `(def ~(name "inside" u) (< (+ first ~(place-of u)) o))) us)
           ~@(map (fn [u] `(def ~(name "v" u) (arith.select ~(name "inside" u) ~(name "v" u) (: 0.0 ~V)))) us)
           ~@(map (fn [u] `(def ~(name "dot" u) (team-sum ~width (lane-sum
                                                                   (* query (cast vector<8xf32> ~(name "k" u))))))) us)
           ~@(map (fn [u] `(def ~(name "score" u) (arith.select ~(name "inside" u) ~(name "dot" u) (: -inf f32)))) us)
           (def most ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) `m (all "score")))
           (def keep (math.exp (- m most)))
           ~@(map (fn [u] `(def ~(name "e" u) (math.exp (- ~(name "score" u) most)))) us)
           (def s (math.fma s keep (+ ~@(all "e"))))
           (def acc
             ~(reduce (fn [sum u] `(vector.fma (cast vector<8xf32> ~(name "v" u)) (spread vector<8xf32> ~(name "e" u))
                                               ~sum))
                      `(* acc (spread vector<8xf32> keep)) us))
           (def next (+ first ~(* (count us) teams)))
           (def ~rows (if (< next o) (do ~@(load-rows `next) ~rows) (do ~rows)))
           [most s acc ~@rows]))
       ;; Combine the teams within 32 lanes.
       ~@(apply concat (map join (filter (fn [step] (>= step (/ width 8))) [1 2 4 8 16])))
       (def part (/ (thread-id :x) 32))
       (when (< (% (thread-id :x) 32) ~(/ width 8))
         (vector.store acc values part lane-column))
       (when (= (% (thread-id :x) 32) 0)
         (memref.store m maxima part)
         (memref.store s sums part))
       (barrier)
       ~(if (= blocks 1) `(attend-finish ~A ~parts) `(attend-finish-together ~A ~width ~parts ~blocks)))))

;; Column x of the parts of a block combined: defines the overall maximum, `most`, and, relative to it, the weighted
;; value and the sum of the weights. Each thread computes the weights itself, which is faster than to share them.
(defmacro def-combined [parts x]
  (let [ps (range parts)
        name (fn [prefix i] (symbol (str prefix i)))]
    `(do
       ~@(map (fn [i] `(def ~(name "m" i) (memref.load maxima ~i))) ps)
       (def most ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) (map (fn [i] (name "m" i)) ps)))
       ~@(map (fn [i] `(def ~(name "share" i) (math.exp (- ~(name "m" i) most)))) ps)
       (def value (+ ~@(map (fn [i] `(* ~(name "share" i) (memref.load values ~i ~x))) ps)))
       (def whole (+ ~@(map (fn [i] `(* ~(name "share" i) (memref.load sums ~i))) ps))))))

(defmacro attend-finish [A parts]
  `(when (< (thread-id :x) D)
     (def x (thread-id :x))
     (def-combined ~parts x)
     (memref.store (cast ~A (/ value whole)) out 0 h x)))

;; Each block combines its parts into one, which all blocks of the cluster can read. Then each block reduces width /
;; blocks columns over all blocks: `blocks` lanes per column, one for each block's part.
(defmacro attend-finish-together [A width parts blocks]
  (let [steps (filter (fn [step] (< step blocks)) [1 2 4 8 16])
        over-blocks (fn [how v]
          (reduce (fn [all step] (let [x (gensym)] `(let [~x ~all] (~how ~x (shuffle-xor ~x ~step))))) v steps))]
    `(do
       (def ours (shared f32 [~(+ width 2)])) ; The values, the maximum, the sum.
       (when (< (thread-id :x) ~width)
         (def x (thread-id :x))
         (def-combined ~parts x)
         (memref.store value ours x)
         (when (= x 0)
           (memref.store most ours ~width)
           (memref.store whole ours ~(+ width 1))))
       (cluster-barrier)
       (when (< (thread-id :x) ~width)
         (def x (+ (* ~(/ width blocks) (% (block-id :x) ~blocks)) (/ (thread-id :x) ~blocks)))
         (def theirs (shared-of (pointer-to 3 ours) (cast i32 (% (thread-id :x) ~blocks))))
         (def v (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs (cast i64 x))))
         (def m (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs ~width)))
         (def s (llvm.load {:alignment 4 :result f32} (place 7 f32 theirs ~(+ width 1))))
         (def share (math.exp (- m ~(over-blocks `arith.maxnumf `m))))
         (def value ~(over-blocks `+ `(* share v)))
         (def whole ~(over-blocks `+ `(* share s)))
         (when (arith.andi (= (% (thread-id :x) ~blocks) 0) (< x D))
           (memref.store (cast ~A (/ value whole)) out 0 h x)))
       ;; A block must not exit while others read its shared memory.
       (cluster-barrier))))

;; --- the templates ----------------------------------------------------------

;; Whether q, k, v and both caches can be read 8 columns at a time.
(defmacro attention-aligned [A]
  `(= (: 0 index)
      (+ (% D 8)
         ~@(apply concat (map (fn [m] (map (fn [at] `(misaligned 8 ~A ~m ~@at)) [[0 0] [1 0] [0 1]]))
                              [`q `k `v `key_cache `value_cache])))))

;; One token with caches and heads of up to 128 has its own kernels; `body` computes all else.
(defmacro gpu-attention [attributes cached A & body]
  `(attention-template ~attributes ~cached ~A
     ~@(if cached
         [`(def one (arith.andi (= T 1) (attention-aligned ~A)))
          `(if (arith.andi one (<= D 64)) (attend-one ~A 64 false)
             (if (arith.andi one (<= D 128)) (attend-one ~A 128 false)
               (do ~@body)))]
         body)))

;; rotated[0, from + n] = heads[0, n], rotated.
(defmacro rotate-heads [A heads count from]
  `(parallel [n ~count i (/ D 2)]
     (def j (+ i (/ D 2)))
     (def a (cast f32 (memref.load ~heads 0 n i)))
     (def b (cast f32 (memref.load ~heads 0 n j)))
     (def cosine (memref.load cosines 0 i))
     (def sine (memref.load sines 0 i))
     (memref.store (cast ~A (- (* a cosine) (* b sine))) rotated 0 (+ ~from n) i)
     (memref.store (cast ~A (+ (* b cosine) (* a sine))) rotated 0 (+ ~from n) j)))

;; Heads that the kernels of one token do not take are rotated in memory, before the tile program.
(defmacro rotated-attention [A]
  (let [heads (str "memref<?x?x?x" A ", strided<[?, ?, 1], offset: ?>>")
        table "memref<?x?xf32, strided<[?, 1], offset: ?>>"
        integers (fn [size] (str "memref<" size "xi32, strided<[1], offset: ?>>"))]
    `(deftemplate nn.rotated_attention {:for [gpu] :attrs [window scale] :groups [rotated-attention]}
       [(: q ~heads) (: k ~heads) (: v ~heads) (: cosines ~table) (: sines ~table) (: rotated ~heads)
        (: key_cache ~heads) (: value_cache ~heads) (: position ~(integers 1)) (: window_size ~(integers "?"))
        (: out ~heads)]
       (with-attention-sizes
         (def aligned
           (arith.andi (attention-aligned ~A)
                       (= (: 0 index) (+ (% D 16) (misaligned 8 f32 cosines 0) (misaligned 8 f32 sines 0)))))
         (if (arith.andi aligned (<= D 64)) (attend-one ~A 64 true)
           (if (arith.andi aligned (<= D 128)) (attend-one ~A 128 true)
             (do
               (rotate-heads ~A q H (: 0 index))
               (rotate-heads ~A k G H)
               (let [q (memref.subview rotated [0 0 0] [T H D] [1 1 1])
                     k (memref.subview rotated [0 H 0] [T G D] [1 1 1])
                     mask (mask-number "causal")]
                 (attend-tiles true ~A true)))))))))

;; With few blocks, a block's teams share its positions; so many blocks that each multiprocessor has several have `many`
;; teams, since such blocks overlap without sums to combine. On an H200, 1,024 tokens of 96 heads take 59 us with one
;; team and 90 with four (F32: 192, and 220 with two), of 24 heads as long, of 12 heads 26 and 22.
(defmacro attention-by-teams [cached A D how teams stages & many]
  (let [prefill (fn [teams] `(attention-prefill ~cached ~A ~D ~how ~teams ~stages))]
    (if (empty? many) (prefill teams)
      `(if (>= (* H (ceil-div T 64)) ~(* 3 (multiprocessors))) ~(prefill (first many)) ~(prefill teams)))))

;; Several tokens on tensor cores, with the kernels of tuning.lisp: causal, without a window. What these lack at run
;; time goes to one tile program for all sizes, so that programs with dynamic sizes do not compile more of them. Static
;; head sizes without a kernel do not match.
(defmacro attention-for-size [cached A many]
  `(if (and (causal?) (not (has-window?)))
     (do
       (def in-chunks (attention-in-chunks ~cached ~A))
       ~(reduce (fn [rest row] `(if (arith.andi in-chunks (= D ~(nth row 0)))
                                  (attention-by-teams ~cached ~A ~@(if many row (take 4 row)))
                                  ~rest))
                `(attend-tiles ~cached ~A false)
                (if (= (str A) "f32") (tuning :attention-f32) (tuning :attention-bf16))))
     (attend-tiles ~cached ~A true)))
;; With caches, kernels for many blocks are compiled only for heads that are known to be many: language models learn the
;; number when they run, and rarely make so many blocks.
(defmacro tensor-core-attention [cached A & sizes]
  (let [groups (if (= (str A) "f32") `[attention whole-attention] `[attention])
        template (fn [sizes many]
          `(gpu-attention {:for [gpu+mma-bf16] :attrs [mask window scale] :sizes ~sizes :groups ~groups} ~cached ~A
             (attention-for-size ~cached ~A ~many)))]
    `(do
       ~@(if cached [(template `[[q 2 ~@sizes] [q 1 ~@(range 1 24)]] false)] [])
       ~(template `[[q 2 ~@sizes]] true))))
(defmacro any-attention [cached A]
  (let [groups (if (= (str A) "f32") `[attention whole-attention] `[attention])]
    `(gpu-attention {:for [gpu] :attrs [mask window scale] :groups ~groups} ~cached ~A
       (attend-tiles ~cached ~A true))))

(attention-programs f32)
(attention-programs bf16)

;; The first template that fits is selected.
(tensor-core-attention false bf16 64 128)
(tensor-core-attention true bf16 64 128)
(tensor-core-attention false f32 64)
(tensor-core-attention true f32 64)
(any-attention false f32)
(any-attention true f32)
(any-attention false bf16)
(any-attention true bf16)

(rotated-attention f32)
(rotated-attention bf16)

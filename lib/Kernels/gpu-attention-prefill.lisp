;; gpu-attention-prefill.lisp - macros of `nn.attention` for several tokens, on NVIDIA's tensor cores
;;
;; A block computes 64 tokens of a head. Tiles of 64 positions are distributed over its teams of four warps; each team
;; copies its own keys and values to shared memory and synchronizes only with itself. A warp multiplies its 16 rows of
;; q with them. The softmax is online: running maxima and sums (Milakov and Gimelshein 2018, Dao et al. 2022); at the
;; end the teams' results are combined.
;;
;; Keys and values of this call's tokens are read from k and v, those of earlier tokens from the caches, so that no
;; block waits until another has stored them. F32 numbers are split into two BF16 terms; the product of the low terms is
;; omitted.
;;
;; (attention-prefill cached A D how teams stages) captures what attention-template defines: the mask is causal, without
;; a window, and without caches the queries' tokens are those of the keys. how: mma, or wgmma, with which a team
;; multiplies its 64 rows together (BF16 only).

;; Swizzled position of chunk c of row r of a tile. F32: pairs of chunks, as in gpu-matmul.lisp; `turn` is the value
;; that positions are xored with. BF16: planes of 64 columns.
(defmacro attention-place [A D turn r c]
  (if (= (str A) "f32")
    `(+ (* ~r (: ~(* 4 D) i32)) (* (: 16 i32) (arith.xori ~c (* (arith.andi ~turn (: 3 i32)) (: 2 i32)))))
    `(+ (* (arith.shrui ~c (: 3 i32)) (: 8192 i32))
        (* ~r (: 128 i32)) (* (: 16 i32) (arith.xori (arith.andi ~c (: 7 i32)) (arith.andi ~r (: 7 i32)))))))

;; Starts the asynchronous copy of keys and values p0 .. p0 + 64 to `stage`. Each thread copies one column of chunks.
(defmacro attention-copy [cached A D tile-bytes p0 stage]
  (let [chunks (quotient D (if (= (str A) "f32") 4 8))
        each (quotient 128 chunks)]
    `(let [p0 ~p0 stage ~stage]
       ~@(map (fn [pass]
           `(do
              (def r (+ copied-row (: ~(* pass each) i32)))
              (def p (+ p0 r))
              (def bytes (arith.select (< p end) (: 16 i32) (: 0 i32)))
              ~(if cached `(def is-new (>= p o)) `(do))
              (def new-row (cast i64 ~(if cached `(max (- p o) (: 0 i32)) `p)))
              (def key (place 1 ~A k-address (+ (* new-row k-stride) copied-column)))
              (def value (place 1 ~A v-address (+ (* new-row v-stride) copied-column)))
              (copy-chunk (place 3 i8 shared (+ stage (attention-place ~A ~D r r copied-chunk)))
                ~(if cached
                   `(arith.select is-new key (place 1 ~A keys-address (+ (* (cast i64 p) keys-stride) copied-column)))
                   `key) bytes)
              (copy-chunk (place 3 i8 shared (+ (+ stage (: ~tile-bytes i32))
                                                (attention-place ~A ~D (arith.shrui r (: 1 i32)) r copied-chunk)))
                ~(if cached
                   `(arith.select is-new value (place 1 ~A values-address
                                                      (+ (* (cast i64 p) values-stride) copied-column)))
                   `value) bytes)))
           (range (quotient 64 each)))
       (end-copies))))

;; Defines fragments of keys for 16 positions and 16 columns, and of values; for F32 the high terms, then the low ones.
(defmacro def-keys [A D step n]
  (let [at (fn [i] (symbol (str "keys-at" i)))
        line (* 4 D)]
    (if (= (str A) "f32")
      `(do
         ~@(map (fn [i]
             (let [half (mod i 2) positions (/ (- i half) 2)]
               `(do
                  (def-pair one two (place 3 i8 ~(at (+ (* 2 step) half)) ~(* (+ (* 16 n) (* 8 positions)) line)))
                  (def-split ~(symbol (str "b" i)) ~(symbol (str "c" i)) one two))))
             (range 4)))
      `(def-matrices [b0 b1 b2 b3] row (place 3 i8 ~(at step) ~(* n 2048))))))

(defmacro def-values [A D step n]
  (let [at (fn [i] (symbol (str "values-at" i)))
        line (* 4 D)]
    (if (= (str A) "f32")
      `(do
         ~@(map (fn [i]
             (let [half (mod i 2) columns (/ (- i half) 2)
                   one (fn [odd] `(llvm.load {:result f32} (place 3 i8 ~(at (+ (* 2 n) columns))
                                                                       ~(* (+ (* 16 step) (+ (* 8 half) odd)) line))))]
               `(def-split ~(symbol (str "b" i)) ~(symbol (str "c" i)) ~(one 0) ~(one 1))))
             (range 4)))
      `(def-matrices [b0 b1 b2 b3] col (place 3 i8 ~(at n) ~(* step 2048))))))

;; Accumulates products of these fragments into the sums named c, for 8 columns or positions and for the next 8.
(defmacro def-both-products [A c next high low]
  (if (= (str A) "f32")
    `(do
       (def-products ~c ~low [b0 b1])   (def-products ~next ~low [b2 b3])
       (def-products ~c ~high [c0 c1])  (def-products ~next ~high [c2 c3])
       (def-products ~c ~high [b0 b1])  (def-products ~next ~high [b2 b3]))
    `(do (def-products ~c ~high [b0 b1]) (def-products ~next ~high [b2 b3]))))

;; Reduces the values of four lanes by op; each lane gets the result.
(defmacro of-4-lanes [op v]
  (let [a (gensym) b (gensym)]
    `(let [~a ~v
           ~b (~op ~a (shuffle-xor ~a 1))]
       (~op ~b (shuffle-xor ~b 2)))))

;; Whether the rows are aligned for the kernel's copies and stores and, without caches, the tokens are those of the
;; keys.
(defmacro attention-in-chunks [cached A]
  (let [lanes (if (= (str A) "f32") 4 8)
        rows (fn [lanes m] (map (fn [at] `(misaligned ~lanes ~A ~m ~@at)) [[0 0] [1 0] [0 1]]))]
    `(= (: 0 index)
        (+ ~@(rows 4 `out)
           ~@(apply concat (map (fn [m] (rows lanes m)) (if cached [`q `k `v `key_cache `value_cache] [`q `k `v])))
           ~@(if cached [] [`(memref.dim position 0) `(- T (memref.dim k 0))])))))

(defmacro attention-prefill [cached A D how teams stages]
  (let [bytes (if (= (str A) "f32") 4 2)
        tile-bytes (* 64 (* bytes D))
        joined (* 4 (* teams (* 64 (+ D 10))))
        staged (+ (if (= bytes 4) 0 tile-bytes) (* teams (* stages (* 2 tile-bytes))))]
    `(launch {:name ~(symbol (str "attention-" how "-" A "-" D "-" teams)) :grid [sharing G (ceil-div T 64)] :block
              [~(* 128 teams)]
              :shared ~(+ 1024 (if (< staged joined) joined staged))}
       (attention-body ~cached ~A ~D ~how ~teams ~stages ~tile-bytes))))

(defmacro attention-body [cached A D how teams stages tile-bytes]
  (let [f32? (= (str A) "f32")
        wgmma? (= (str how) "wgmma")
        bytes (if f32? 4 2)
        threads (* 128 teams)
        chunks (quotient D (if f32? 4 8))
        rows-a-pass (quotient threads chunks)
        stage-bytes (* 2 tile-bytes)
        staged (* teams (* stages stage-bytes))
        steps (range (quotient D 16))
        ds (range (quotient D 8))
        es (range 4)
        line (+ D 8)
        name (fn [base i] (symbol (str base i)))
        four (fn [base i] (apply vector (map (fn [e] (symbol (str base i "-" e))) es)))
        outs (apply concat (map (fn [i] (four "out" i)) ds))
        state `[~@outs m0 m1 l0 l1]
        tile-of (fn [round] `(* (: 64 i32) (+ team (* (: ~teams i32) ~round))))
        stage-of (fn [round] `(+ first-stage (* (arith.remui ~round (: ~stages i32)) (: ~stage-bytes i32))))]
    `(do
       (launch-dependents)
       (def tokens (cast i32 T))
       (def h (cast i64 (+ (* (block-id :y) sharing) (block-id :x))))
       (def key-head (cast i64 (block-id :y)))
       (def-head-of h q-address q-stride ~A q)
       (def-head-of key-head k-address k-stride ~A k)
       (def-head-of key-head v-address v-stride ~A v)
       (def start (shared-address))
       (def shared (llvm.inttoptr {:result !llvm.ptr<3>} start))
       (def thread (cast i32 (thread-id :x)))
       (def lane (arith.andi thread (: 31 i32)))
       (def warp (arith.andi (arith.shrui thread (: 5 i32)) (: 3 i32)))
       (def team (arith.shrui thread (: 7 i32)))
       (def g (arith.shrui lane (: 2 i32)))
       (def q2 (* (: 2 i32) (arith.andi lane (: 3 i32))))
       ;; The last tokens attend to most positions, so their blocks start first.
       (def t0 (* (: 64 i32) (cast i32 (- (grid-dim :z) (+ (block-id :z) 1)))))
       (def last-token (- tokens (: 1 i32)))
       (def t (+ t0 (+ (* warp (: 16 i32)) g)))
       (wait-for-predecessors)
       (def o ~(if cached `(memref.load position 0) `(: 0 i32)))
       ~@(if f32?
           ;; This lane's part of the warp's 16 rows of q.
           (concat
             (map (fn [upper]
               `(def ~(name "q-at" upper)
                  (place 1 f32 q-address (+ (cast i64 q2)
                                            (* (cast i64 (min (+ t (: ~(* 8 upper) i32)) last-token)) q-stride)))))
               (range 2))
             (apply concat (map (fn [step] (map (fn [e]
               `(do (def-pair one two (place 1 f32 ~(name "q-at" (mod e 2)) ~(+ (* 16 step) (if (< e 2) 0 8))))
                    (def-split ~(nth (four "q" step) e) ~(nth (four "r" step) e) one two)))
               es)) steps)))
           ;; The block's 64 rows of q, behind all stages.
           [`(do
               (def chunk (% thread (: ~chunks i32)))
               ~@(map (fn [pass]
                   `(let [r (+ (/ thread (: ~chunks i32)) (: ~(* pass rows-a-pass) i32))]
                      (copy-chunk (place 3 i8 shared (+ (: ~staged i32) (attention-place ~A ~D 0 r chunk)))
                        (place 1 ~A q-address (+ (cast i64 (* chunk (: 8 i32)))
                                                 (* (cast i64 (min (+ t0 r) last-token)) q-stride)))
                        (: 16 i32))))
                   (range (quotient (* 64 chunks) threads))))])
       (end-copies)
       ~@(if cached
           [`(def-rows-of key-head keys-address keys-stride ~A key_cache)
            `(def-rows-of key-head values-address values-stride ~A value_cache)]
           [])
       (def end (min (+ o tokens) (+ (+ o t0) (: 64 i32))))
       ;; Tiles of this team: its index, then with a stride of the number of teams.
       (def tiles (/ (+ end (: 63 i32)) (: 64 i32)))
       (def rounds (/ (max (: 0 i32) (+ (- tiles team) (: ~(- teams 1) i32))) (: ~teams i32)))
       (def member (arith.andi thread (: 127 i32)))
       (def copied-row (/ member (: ~chunks i32)))
       (def copied-chunk (% member (: ~chunks i32)))
       (def copied-column (cast i64 (* copied-chunk (: ~(quotient 16 bytes) i32))))
       (def first-stage (* team (: ~(* stages stage-bytes) i32)))
       (for [round 0 ~(- stages 1)]
         (def round (cast i32 round))
         (if (< round rounds)
           (attention-copy ~cached ~A ~D ~tile-bytes ~(tile-of `round) (+ first-stage (* round (: ~stage-bytes i32))))
           (end-copies)))
       (wait-copies ~(- stages 1))
       ~@(if wgmma? [`(fence-for-wgmma)] [])
       (barrier)

       (def half-a (arith.shrui lane (: 4 i32)))
       (def half-b (arith.andi (arith.shrui lane (: 3 i32)) (: 1 i32)))
       ~@(if f32?
           (concat
             (map (fn [i] `(def ~(name "keys-place" i)
                    (+ (attention-place ~A ~D g g (: ~(* 2 i) i32)) (* (: 4 i32) q2))))
                  ds)
             (map (fn [i] `(def ~(name "values-place" i)
                    (+ (+ (: ~tile-bytes i32) (* (: 4 i32) g))
                       (attention-place ~A ~D (arith.shrui q2 (: 1 i32)) q2 (: ~(* 2 i) i32)))))
                  ds))
           (if wgmma?
             [`(def q-place (matrix-description (+ start (: ~staged i32)) 16))]
             [`(def values-row (arith.andi lane (: 15 i32)))
              `(def keys-place (attention-place ~A ~D 0 (+ (arith.andi lane (: 7 i32)) (* half-a (: 8 i32))) half-b))
              `(def values-place (+ (: ~tile-bytes i32) (attention-place ~A ~D 0 values-row half-a)))
              `(def q-place (+ (: ~staged i32) (attention-place ~A ~D 0 (+ (* warp (: 16 i32)) values-row) half-a)))]))
       (def seen0 (+ o t)) ; the last position that this lane's first row attends to
       (def seen1 (+ seen0 (: 8 i32)))
       (def first-seen (+ (+ o t0) (* warp (: 16 i32))))
       (def zero (: 0.0 f32))
       (def scale (* scale (: 1.4426950408889634 f32))) ; For powers of two.
       (def ~state
         (fold [~@(apply concat (map (fn [s] [s `zero]) outs)) m0 (: -1.0e30 f32) m1 (: -1.0e30 f32) l0 zero l1 zero]
               [round 0 (cast index rounds)]
           (wait-copies ~(- stages 2))
           ~@(if wgmma? [`(fence-for-wgmma)] [])
           (nvvm.barrier [(+ team (: 1 i32))] [(: 128 i32)] [])
           (def round (cast i32 round))
           (def next (+ round (: ~(- stages 1) i32)))
           (if (< next rounds)
             (attention-copy ~cached ~A ~D ~tile-bytes ~(tile-of `next) ~(stage-of `next))
             (end-copies))
           (def read ~(stage-of `round))
           (def p0 ~(tile-of `round))
           ~(if wgmma?
              `(do (attention-tile ~A ~D ~how ~tile-bytes) ~state)
              `(do (def ~state (if (<= p0 (+ first-seen (: 15 i32)))
                                 (do (attention-tile ~A ~D ~how ~tile-bytes) ~state)
                                 (do ~state)))
                   ~state))))

       ;; Combine the teams' sums through shared memory.
       (def-head-of h out-address out-stride ~A out)
       (wait-copies 0)
       (barrier)
       (def l0 (of-4-lanes + l0))
       (def l1 (of-4-lanes + l1))
       (def mine (+ (* team (: 64 i32)) (+ (* warp (: 16 i32)) g)))
       (def to (place 3 f32 shared (+ (* mine (: ~line i32)) q2)))
       (def maxima (place 3 f32 shared (: ~(* teams (* 64 line)) i32)))
       ~@(apply concat (map (fn [d] (map (fn [upper]
           `(store-pair ~(nth (four "out" d) (* 2 upper)) ~(nth (four "out" d) (+ 1 (* 2 upper)))
                        (place 3 f32 to ~(+ (* upper (* 8 line)) (* 8 d)))))
           (range 2))) ds))
       (store-pair m0 l0 (place 3 f32 maxima (* mine (: 2 i32))))
       (store-pair m1 l1 (place 3 f32 maxima (+ (* mine (: 2 i32)) (: 16 i32))))
       (barrier)
       (for [i (thread-id :x) (* ~(quotient D 4) (min (: 64 index) (cast index (- tokens t0)))) ~threads]
         (def r (/ (cast i32 i) (: ~(quotient D 4) i32)))
         (def d (* (: 4 i32) (% (cast i32 i) (: ~(quotient D 4) i32))))
         ~@(map (fn [team]
             `(def-pair ~(name "m" team) ~(name "l" team) (place 3 f32 maxima
                                                                 (* (: 2 i32) (+ r (: ~(* 64 team) i32))))))
             (range teams))
         (def most ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) (map (fn [team] (name "m" team)) (range teams))))
         ~@(map (fn [team] `(def ~(name "keep" team) (fast-exp2 (* scale (- ~(name "m" team) most))))) (range teams))
         (def share (/ (: 1.0 f32) (+ ~@(map (fn [team] `(* ~(name "keep" team) ~(name "l" team))) (range teams)))))
         (def y (+ ~@(map (fn [team]
             `(* (vector.broadcast {:result vector<4xf32>} (* share ~(name "keep" team)))
                 (load-four (place 3 f32 shared (+ (* (+ r (: ~(* 64 team) i32)) (: ~line i32)) d)))))
             (range teams))))
         (def odd (vector.reduction {:kind "#vector.kind<add>" :result f32} (* y (: 0.0 vector<4xf32>))))
         (def y (if (= odd zero) y (attention-again ~cached ~A r d))) ; 0 times what is not finite is NaN.
         (llvm.store {:alignment ~(* 4 bytes)} ~(if f32? `y `(cast vector<4xbf16> y))
           (place 1 ~A out-address (+ (cast i64 d) (* (cast i64 (+ t0 r)) out-stride)))))

       ~(if cached `(attention-keep-rows ~A ~chunks ~rows-a-pass) `(do)))))

;; Columns d .. d + 4 of row r of the block, from what its token sees and nothing else. The tensor cores multiply what
;; it does not see by 0, which is NaN where that is infinite or NaN: a result that is not finite is computed again.
(defmacro attention-again [cached A r d]
  (let [read (fn [old new column]
               (if cached
                 `(if (< p from) (load-f32 1 ~A ~old g p ~column) (load-f32 1 ~A ~new (- p from) g ~column))
                 `(load-f32 1 ~A ~new p g ~column)))]
    `(let [t (cast index (+ t0 ~r))
           column (cast index ~d)
           g (block-id :y)
           h (+ (* g sharing) (block-id :x))
           from (cast index o)]
       (def [m s sums]
         (fold [m (: -1.0e30 f32) s zero sums (: 0.0 vector<4xf32>)] [p 0 (+ from t 1)]
           (def score
             (fold [score zero] [e 0 D]
               (math.fma (load-f32 1 ~A q t h e) ~(read `key_cache `k `e) score)))
           (def most (arith.maxnumf m score))
           (def keep (fast-exp2 (* scale (- m most))))
           (def weight (fast-exp2 (* scale (- score most))))
           (def value
             (vector.from_elements {:result vector<4xf32>}
               ~@(map (fn [i] (read `value_cache `v `(+ column ~i))) (range 4))))
           [most (math.fma s keep weight)
            (vector.fma value (spread vector<4xf32> weight) (* sums (spread vector<4xf32> keep)))]))
       (/ sums (spread vector<4xf32> s)))))

;; Stores keys and values to the caches for later calls: the block of the first of the heads that share them. Blocks of
;; early tokens end first and store the late tokens', too.
(defmacro attention-keep-rows [A chunks rows-a-pass]
  `(when (= (block-id :x) 0)
     (def mirrored (- (* (: 64 i32) (cast i32 (- (grid-dim :z) 1))) t0))
     (for [late 0 2]
       (def first (if (= late 0) t0 mirrored))
       (when (arith.ori (< t0 first) (arith.andi (= late 0) (<= t0 mirrored)))
         (def column (cast i64 (* (% thread (: ~chunks i32)) (: ~(if (= (str A) "f32") 4 8) i32))))
         (for [r (cast index (/ thread (: ~chunks i32))) (min (: 64 index) (cast index (- tokens first))) ~rows-a-pass]
           (def t (cast i64 (+ first (cast i32 r))))
           (def p (+ (cast i64 o) t))
           (def key (llvm.load {:alignment 16 :result vector<4xi32>} (place 1 ~A k-address (+ (* t k-stride) column))))
           (def value (llvm.load {:alignment 16 :result vector<4xi32>}
                        (place 1 ~A v-address (+ (* t v-stride) column))))
           (llvm.store {:alignment 16} key (place 1 ~A keys-address (+ (* p keys-stride) column)))
           (llvm.store {:alignment 16} value (place 1 ~A values-address (+ (* p values-stride) column))))))))

;; Processes a tile of 64 positions: updates all sums, maxima and sums of weights.
(defmacro attention-tile [A D how tile-bytes]
  (let [f32? (= (str A) "f32")
        wgmma? (= (str how) "wgmma")
        ns (range 8)
        ds (range (quotient D 8))
        steps (range (quotient D 16))
        es (range 4)
        name (fn [base i] (symbol (str base i)))
        four (fn [base i] (apply vector (map (fn [e] (symbol (str base i "-" e))) es)))
        all (fn [base is] (apply concat (map (fn [i] (four base i)) is)))
        score (fn [n e] (nth (four "s" n) e))
        row-of (fn [upper] (apply concat (map (fn [n] [(score n (* 2 upper)) (score n (+ 1 (* 2 upper)))]) ns)))
        weights (fn [step] (if f32? (four "high" step) (four "a" step)))]
    `(do
       ~@(if wgmma?
           (concat
             [`(def keys-at (matrix-description (+ start read) 16))
              `(def values-at (matrix-description (+ (+ start read) (: ~tile-bytes i32)) 8192))
              `(begin-wgmma)]
             (map (fn [s] `(def ~s zero)) (all "s" ns))
             (map (fn [step]
                    (let [further (+ (* 2 (mod step 4)) (* 512 (quotient step 4)))]
                      `(def-wgmma 64 [~@(all "s" ns)] (+ q-place (: ~further i64)) (+ keys-at (: ~further i64))
                                  ~(if (= step 0) 0 1) 0)))
                  steps)
             [`(end-wgmma) `(wait-wgmma 0)])
           (concat
             ;; 16 columns further is two chunks further: with the swizzle an xor with 32, since stages are aligned to
             ;; 128 bytes.
             (apply concat (map (fn [what]
               (map (fn [i]
                      `(def ~(name (str what "-at") i)
                         (place 3 i8 shared
                           ~(if f32? `(+ read ~(name (str what "-place") i))
                              `(+ (arith.xori (+ read ~(name (str what "-place") "")) (: ~(* 32 (mod i 4)) i32))
                                  (: ~(* 8192 (quotient i 4)) i32))))))
                    (if f32? ds steps)))
               ["keys" "values"]))
             (map (fn [s] `(def ~s zero)) (all "s" ns))
             (apply concat (map (fn [step]
               (concat
                 (if f32? []
                   [`(def-matrices ~(four "q" step) row
                       (place 3 i8 shared (+ (arith.xori q-place (: ~(* 32 (mod step 4)) i32))
                                             (: ~(* 8192 (quotient step 4)) i32))))])
                 (map (fn [n]
                   `(do
                      (def-keys ~A ~D ~step ~n)
                      (def-both-products ~A ~(four "s" (* 2 n)) ~(four "s" (+ 1 (* 2 n))) ~(four "q" step)
                        ~(four "r" step))))
                   (range 4))))
               steps))))
       ;; Causal mask: no row attends to positions after its own.
       (def [~@(all "s" ns)]
         (if (> (+ p0 (: 63 i32)) first-seen)
           (do
             (def p (+ p0 q2))
             [~@(apply concat (map (fn [n] (map (fn [e]
                  `(arith.select (> (+ p (: ~(+ (* 8 n) (mod e 2)) i32)) ~(if (< e 2) `seen0 `seen1))
                                 (: -inf f32) ~(score n e)))
                  es)) ns))])
           (do [~@(all "s" ns)])))
       ~@(apply concat (map (fn [upper]
           (let [m (name "m" upper) top (name "top" upper)]
             [`(def ~top (of-4-lanes arith.maxnumf ~(reduce (fn [a b] `(arith.maxnumf ~a ~b)) (cons m (row-of upper)))))
              `(def ~(name "shift" upper) (* ~top scale))
              `(def ~(name "keep" upper) (fast-exp2 (* scale (- ~m ~top))))]))
           (range 2)))
       ~@(apply concat (map (fn [n] (map (fn [e]
            `(def ~(score n e) (fast-exp2 (- (* ~(score n e) scale) ~(if (< e 2) `shift0 `shift1))))) es)) ns))
       (def m0 top0)
       (def m1 top1)
       (def l0 (+ (* l0 keep0) ~@(row-of 0)))
       (def l1 (+ (* l1 keep1) ~@(row-of 1)))
       ~@(apply concat (map (fn [d] (map (fn [e]
            `(def ~(nth (four "out" d) e) (* ~(nth (four "out" d) e) ~(if (< e 2) `keep0 `keep1)))) es)) ds))
       ~@(apply concat (map (fn [step] (map (fn [e]
            (let [n (+ (* 2 step) (if (< e 2) 0 1)) at (* 2 (mod e 2))]
              (if f32? `(def-split ~(nth (four "high" step) e) ~(nth (four "low" step) e) ~(score n at)
                          ~(score n (+ at 1)))
                `(def ~(nth (four "a" step) e) (pack-bf16 ~(score n at) ~(score n (+ at 1)))))))
            es)) (range 4)))
       ~@(if wgmma?
           (concat
             [`(begin-wgmma)]
             (map (fn [step] `(def-wgmma ~D [~@(all "out" ds)] ~(four "a" step) (+ values-at (: ~(* 128 step) i64)) 1
                                1)) (range 4))
             [`(end-wgmma) `(wait-wgmma 0)])
           (apply concat (map (fn [step]
             (map (fn [n]
               `(do
                  (def-values ~A ~D ~step ~n)
                  (def-both-products ~A ~(four "out" (* 2 n)) ~(four "out" (+ 1 (* 2 n))) ~(weights step)
                    ~(four "low" step))))
               steps))
             (range 4)))))))

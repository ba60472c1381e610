;; gpu-gemv.lisp - macros: one token times a matrix on a GPU, out = activation(x w^T + bias) + residual
;;
;; Memory bound. A warp, or several for long rows, processes a row of w and issues all its loads, 16 bytes per lane
;; each, before it uses the first: many loads in flight hide the memory latency. With programmatic dependent launch the
;; rows are prefetched into L2 before the kernel waits for its input.

(require-macros "gpu-dependent-launch.lisp")

;; Epilogue: applies bias, activation and residual to the sum for output n of token t.
(defmacro linear-result [W O sum t n]
  `(let [biased (if has-bias (+ ~sum (cast f32 (memref.load bias ~n))) ~sum)
         active (activate f32 biased)]
     (memref.store (cast ~O (if has-residual (+ active (cast f32 (memref.load residual ~t ~n))) active)) out ~t ~n)))

;; The same of a gated product, whose rows n and N + n have these sums.
(defmacro gated-result [O gate factor t n]
  `(let [product (* (activate f32 (with-bias ~gate ~n)) (with-bias ~factor (+ N ~n)))]
     (memref.store (cast ~O (if has-residual (+ product (cast f32 (memref.load residual ~t ~n))) product)) out ~t ~n)))
(defmacro with-bias [sum row] `(if has-bias (+ ~sum (cast f32 (memref.load bias ~row))) ~sum))

;; Row r of a team's rows of w, which begin at output n; rows beyond the last repeat it. Of a gated product the second
;; half of them are N rows on.
(defmacro gemv-row [n r rows gated]
  (if gated
    (let [half (quotient rows 2)]
      (if (< r half) `(min (- N 1) (+ ~n ~r)) `(+ N (min (- N 1) (+ ~n ~(- r half))))))
    `(min (- N 1) (+ ~n ~r))))

;; Chunks of 8 columns that a lane loads before it uses the first: 3 cover GPT-2's 768 columns.
(defmacro gemv-pieces [] 4)

;; Threads of a block, lanes of a warp, and teams of a block if `warps` warps share a row.
(defmacro gemv-threads [] 256)
(defmacro warp-lanes [] (if (target-has? :warp64) 64 32))
(defmacro gemv-teams [warps] `(quotient (gemv-threads) (* ~warps (warp-lanes))))

;; Normalisation of x, one row, by the whole block into shared memory `xs`, rounded to the type of `normed`. The
;; loads of a round of 4 are in flight together. Its first element is subtracted before the mean, which is rounded: a
;; row of equal numbers becomes 0.
(defmacro gemv-normalise [A W normed]
  (let [us (range 4)
        name (fn [prefix u] (symbol (str prefix u)))
        columns (map (fn [u] `(def ~(name "c" u) (+ c (* ~u (block-dim :x))))) us)
        each (fn [make] (map (fn [u] `(when (< ~(name "c" u) K) ~(make u))) us))
        rounds (fn [& body] `(for [c (thread-id :x) K (* 4 (block-dim :x))] ~@columns ~@(apply concat body)))]
    `(do
       (def each (/ (: 1.0 f32) (cast f32 K)))
       (def first (arith.select centred (cast f32 (memref.load x t (: 0 index))) (: 0.0 f32)))
       (def total
         (fold [s (: 0.0 f32)] [c (thread-id :x) K (* 4 (block-dim :x))]
           ~@columns
           ~@(map (fn [u] `(def ~(name "v" u)
                             (if {:result f32} (< ~(name "c" u) K)
                               (- (cast f32 (memref.load x t ~(name "c" u))) first) (: 0.0 f32)))) us)
           ~@(each (fn [u] `(memref.store ~(name "v" u) xs ~(name "c" u))))
           (+ s ~@(map (fn [u] (name "v" u)) us))))
       ; block-reduce is a barrier, too, which the loads of xs wait for.
       (def sum (block-reduce :add total))
       (def mean (arith.select centred (* each sum) (: 0.0 f32)))
       (def squares
         (fold [s (: 0.0 f32)] [c (thread-id :x) K (block-dim :x)]
           (def d (- (memref.load xs c) mean))
           (math.fma d d s)))
       (def scale (math.rsqrt (+ (* each (block-reduce :add squares)) epsilon)))
       ~(rounds
          (map (fn [u] `(def ~(name "w" u)
                          (if {:result f32} (< ~(name "c" u) K) (cast f32 (memref.load norm_weight ~(name "c" u)))
                            (: 0.0 f32)))) us)
          (map (fn [u] `(def ~(name "b" u)
                          (if {:result f32} (arith.andi centred (< ~(name "c" u) K))
                            (cast f32 (memref.load norm_bias ~(name "c" u))) (: 0.0 f32)))) us)
          (each (fn [u]
            `(memref.store
               (cast f32 (cast ~normed (math.fma (* (- (memref.load xs ~(name "c" u)) mean) scale) ~(name "w" u)
                                                 ~(name "b" u))))
               xs ~(name "c" u)))))
       (barrier))))

;; Token t. `rows`: outputs that a warp sums at a time. `warps`: warps that share these rows' columns. `norm`: the
;; element type that the normalised x is rounded to, or false if x is used unchanged. `gated`: of nn.norm_linear, with
;; warps = 1 and rows = 2.
(defmacro gemv [A W O rows warps norm gated]
  `(launch {:name ~(if norm `norm-gemv `gemv) :grid [(gemv-need N ~rows ~warps ~gated)] :block [~(gemv-threads)]
            :shared ~(if norm `(* 4 K) 0)}
     (gemv-product (block-id :x) (grid-dim :x) ~A ~W ~O ~rows ~warps ~norm ~gated)))
(defmacro gemv-need [N rows warps gated] `(ceil-div ~N ~(* (if gated 1 rows) (gemv-teams warps))))

;; What a block of this launch does: the one of this number among `blocks` that compute the product.
(defmacro gemv-product [block blocks A W O rows warps norm gated]
  (let [rs (range rows)
        outputs (if gated 1 rows)
        us (range (gemv-pieces))
        name (fn [prefix i] (symbol (str prefix i)))
        piece (fn [r u] (symbol (str "w" r "-" u)))
        sums (apply vector (map (fn [r] (name "sum" r)) rs))
        column (fn [u] (name "k" u))
        row (if norm [`xs] [`x `t])
        at (fn [k] (concat row [k]))
        X (if norm `f32 A)
        load (fn [T row u]
               (let [V (symbol (str "vector<8x" T ">"))]
                 (if (tuning :clamped-loads)
                   `(arith.select (< ~(column u) K8) (vector.load {:result ~V} ~@row (min ~(column u) (- K8 8)))
                      (: 0.0 ~V))
                   `(if (< ~(column u) K8) (vector.load {:result ~V} ~@row ~(column u)) (: 0.0 ~V)))))]
    `(do
       ~@(if (= warps 1) [] [`(def parts (shared f32 [~(* rows (/ (gemv-threads) (warp-lanes)))]))])
       (def teams (/ (block-dim :x) (* ~warps (warp-size))))
       (def team (/ (warp-id) ~warps))
       (def lane (+ (* (% (warp-id) ~warps) (warp-size)) (lane-id)))
       (def lanes (* ~warps (warp-size)))
       (launch-dependents)
       ~@(map (fn [r] `(prefetch-row ~W w (gemv-row (* ~outputs (+ team (* teams ~block))) ~r ~rows ~gated)
                                     K lane lanes)) rs)
       (wait-for-predecessors)
       ~@(if norm
           [`(def xs (memref.view {:result "memref<?xf32, #gpu.address_space<workgroup>>"}
                       (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"}) (: 0 index)
                       K))
            `(gemv-normalise ~A ~W ~norm)]
           [])
       ;; Uniform trip count for all threads of a block, including those whose rows are beyond the last.
       (for [base (* ~outputs teams ~block) N (* ~outputs teams ~blocks)]
         ~@(map (fn [r] `(def ~(name "n" r) (gemv-row (+ base (* ~outputs team)) ~r ~rows ~gated))) rs)
         (def K8 (vector-columns 8 K ~@(if norm [] [`[~A x t]]) ~@(map (fn [r] `[~W w ~(name "n" r)]) rs)))
         (def ~sums
           (fold ~(apply vector (apply concat (map (fn [s] [s `(: 0.0 vector<8xf32>)]) sums)))
                 [k (* 8 lane) K8 (* ~(* 8 (gemv-pieces)) lanes)]
             ~@(map (fn [u] `(def ~(column u) (+ k (* ~(* 8 u) lanes)))) us)
             ~@(apply concat (map (fn [u] (map (fn [r] `(def ~(piece r u) ~(load W [`w (name "n" r)] u))) rs)) us))
             ~@(map (fn [u]
                 `(def ~(name "x" u)
                    ~(if (tuning :clamped-loads) `(cast vector<8xf32> ~(load X row u))
                       `(if (< ~(column u) K8) (load-f32 8 ~X ~@(at (column u))) (: 0.0 vector<8xf32>))))) us)
             ~(apply vector (map (fn [r]
                 (reduce (fn [sum u] `(vector.fma (cast vector<8xf32> ~(piece r u)) ~(name "x" u) ~sum))
                         (name "sum" r) us))
                 rs))))
         ~@(map (fn [r]
             `(def ~(name "all" r)
                (warp-reduce :add
                  (fold [s (lane-sum ~(name "sum" r))] [k (+ K8 lane) K lanes]
                    (math.fma (cast f32 (memref.load w ~(name "n" r) k)) (cast f32 (memref.load ~@(at `k))) s))))) rs)
         ~@(if gated [`(when (arith.andi (= (lane-id) 0) (< (+ base team) N)) (gated-result ~O all0 all1 t n0))]
            (if (= warps 1)
             (map (fn [r] `(when (arith.andi (= (lane-id) ~r) (< (+ base (* ~rows team) ~r) N))
                             (linear-result ~W ~O ~(name "all" r) t ~(name "n" r)))) rs)
             [`(when (= (lane-id) 0)
                 ~@(map (fn [r] `(memref.store ~(name "all" r) parts (+ (* ~rows (warp-id)) ~r))) rs))
              `(barrier)
              `(do ~@(map (fn [r]
                   `(when (arith.andi (= lane ~r) (< (+ base (* ~rows team) ~r) N))
                      (linear-result ~W ~O
                        (+ ~@(map (fn [i] `(memref.load parts (+ (* ~rows (+ (* ~warps team) ~i)) ~r))) (range warps)))
                        t ~(name "n" r)))) rs))
              `(barrier)]))))))

;; --- rows in registers ------------------------------------------------------

;; Threads of a block whose teams have `warps` warps, and the maximum number of such blocks of a launch: as many as can
;; be resident. Each block loops over rows.
(defmacro gemv-block [warps]
  `(if (> (* ~warps (warp-lanes)) (gemv-threads)) (* ~warps (warp-lanes)) (gemv-threads)))
(defmacro gemv-blocks [threads]
  `(* (multiprocessors) (quotient (* (tuning :gemv-blocks) (gemv-threads)) ~threads)))

;; A warp holds its rows of w in registers before the input is available: with `constant_weights` it loads them, the
;; bias and the normalisation's parameters before it waits for the preceding kernels, and the next rows before it adds
;; up the lanes' sums of these. Its columns of x are the same for all rows. `warps` warps share the columns of a row, at
;; most `pieces` chunks of 8 per lane; each team of warps sums `rows` rows at a time, which limits how often x is read.
;; `full`: every lane has exactly `pieces`. `norm`: as in gemv. `gated`: of nn.norm_linear, with warps > 1 and even
;; rows.
(defmacro gemv-held [A W O rows warps pieces full norm gated]
  `(launch {:name ~(if norm `norm-gemv `gemv)
            :grid [(min ~(gemv-blocks (gemv-block warps)) (gemv-held-need N ~rows ~warps ~gated))]
            :block [~(gemv-block warps)]}
     (gemv-held-product (block-id :x) (grid-dim :x) ~A ~W ~O ~rows ~warps ~pieces ~full ~norm ~gated)))
(defmacro gemv-held-need [N rows warps gated]
  `(ceil-div ~N ~(* (if gated (quotient rows 2) rows) (quotient (quotient (gemv-block warps) (warp-lanes)) warps))))

;; What a block of this launch does, as in gemv-product.
(defmacro gemv-held-product [block blocks A W O rows warps pieces full norm gated]
  (let [rs (range rows)
        outputs (if gated (quotient rows 2) rows)
        us (range pieces)
        threads (gemv-block warps)
        all-warps (quotient threads (warp-lanes))
        name (fn [prefix i] (symbol (str prefix i)))
        V (symbol (str "vector<8x" W ">"))
        F `vector<8xf32>
        weight (fn [r u] (symbol (str "w" r "-" u)))
        weights (apply vector (apply concat (map (fn [r] (map (fn [u] (weight r u)) us)) rs)))
        biases (if gated [`bias-own `factor-own] [`bias-own])
        loaded (apply vector (concat weights biases [`residual-own]))
        all (fn [prefix] (map (fn [u] (name prefix u)) us))
        each (fn [prefix make] (map (fn [u] `(def ~(name prefix u) ~(make u))) us))
        guarded (fn [when value nothing] (if (= when true) value `(if ~when ~value ~nothing)))
        inside (fn [when u] (if full when (if (= when true) `(< ~(name "k" u) K)
                                              `(arith.andi ~when (< ~(name "k" u) K)))))
        ;; Loads V from m[...rows, k]; zeros if the lane has no such columns or `when` is false.
        load (fn [V m rows u when]
               (let [k (name "k" u) zero `(: 0.0 ~V)]
                 (if (tuning :clamped-loads)
                   (let [value `(vector.load {:result ~V} ~m ~@rows ~(if full k `(min ~k (- K 8))))]
                     (guarded when (if full value `(arith.select (< ~k K) ~value ~zero)) zero))
                   (guarded (inside when u) `(vector.load {:result ~V} ~m ~@rows ~k) zero))))
        load-row (fn [n r when]
          (map (fn [u] `(def ~(weight r u) ~(load V `w [`(gemv-row ~n ~r ~rows ~gated)] u when))) us))
        load-rows (fn [n when] (apply concat (map (fn [r] (load-row n r when)) rs)))
        load-norm (fn [when]
          (concat (each "g" (fn [u] (load V `norm_weight [] u when)))
                  (each "b" (fn [u] `(if centred ~(load V `norm_bias [] u when) (: 0.0 ~V))))))
        ;; The output that this lane stores, if any.
        mine (fn [n] `(arith.andi (< member ~outputs) (< (+ ~n member) N)))
        ;; What a lane needs for its output, zero if it has none. Converted only where it is used: a cast here would
        ;; wait for all loads.
        own (fn [name has T value n when]
          `(def ~name (if (arith.andi ~has ~(if (= when true) (mine n) `(arith.andi ~when ~(mine n)))) ~value
                        (: 0.0 ~T))))
        load-bias (fn [n when]
          (concat [(own `bias-own `has-bias W `(memref.load bias (+ ~n member)) n when)]
                  (if gated [(own `factor-own `has-bias W `(memref.load bias (+ N ~n member)) n when)] [])))
        load-residual (fn [n when] [(own `residual-own `has-residual O `(memref.load residual t (+ ~n member)) n when)])
        ;; Loads after the wait, unless loaded before it.
        load-after-wait (fn [names loads] `(def ~names (if before-wait (do ~names) (do ~@loads ~names))))
        ;; The sum of a team's row, of the sums of its warps.
        team-part (fn [row]
          `(+ ~@(map (fn [i] `(memref.load parts turn (+ (* ~rows (+ (* ~warps team) ~i)) ~row))) (range warps))))
        ;; The sum over the lanes of a team, through its part `slot` of shared memory.
        team-sum (fn [slot value]
          (if (= warps 1) `(warp-reduce :add ~value)
            `(let [of-warp (warp-reduce :add ~value)]
               (when (= (lane-id) 0) (memref.store of-warp moments ~slot (warp-id)))
               (barrier)
               (+ ~@(map (fn [i] `(memref.load moments ~slot (+ (* ~warps team) ~i))) (range warps))))))]
    `(do
       ;; Of two iterations, so that one barrier in each is enough.
       ~@(if (= warps 1) [] [`(def parts (shared f32 [2 ~(* rows all-warps)]))])
       ~@(if (and norm (> warps 1)) [`(def moments (shared f32 [2 ~all-warps]))] [])
       (def teams (/ (block-dim :x) (* ~warps (warp-size))))
       (def team (/ (warp-id) ~warps))
       (def member (+ (* (% (warp-id) ~warps) (warp-size)) (lane-id)))
       (def lanes (* ~warps (warp-size)))
       (def n0 (* ~outputs (+ team (* teams ~block))))
       (def step (* ~outputs teams ~blocks))
       (def before-wait (= constant_weights (: 1 i64)))
       (launch-dependents)
       ~@(each "k" (fn [u] `(* 8 (+ member (* ~u lanes)))))
       ~@(load-rows `n0 `before-wait)
       ~@(load-bias `n0 `before-wait)
       ~@(if norm (load-norm `before-wait) [])
       (if before-wait (do)
         (do ~@(map (fn [r] `(prefetch-row ~W w (gemv-row n0 ~r ~rows ~gated) K member lanes)) rs)))
       (wait-for-predecessors)
       ~@(each "x" (fn [u]
           (if (tuning :clamped-loads)
             `(cast ~F ~(load (symbol (str "vector<8x" A ">")) `x [`t] u true))
             (guarded (inside true u) `(load-f32 8 ~A x t ~(name "k" u)) `(: 0.0 ~F)))))
       ~@(load-residual `n0 true)
       ~(load-after-wait weights (load-rows `n0 true))
       ~(load-after-wait biases (load-bias `n0 true))
       ~@(if norm
           (concat
             [(load-after-wait (apply vector (concat (all "g") (all "b"))) (load-norm true))
              `(def each (/ (: 1.0 f32) (cast f32 K)))
              `(def first (spread ~F (arith.select centred (cast f32 (memref.load x t (: 0 index))) (: 0.0 f32))))]
             (each "x" (fn [u] (if full `(- ~(name "x" u) first)
                                 `(arith.select (< ~(name "k" u) K) (- ~(name "x" u) first) (: 0.0 ~F)))))
             [`(def mean (spread ~F (if {:result f32} centred (* each ~(team-sum 0 `(lane-sum (+ ~@(all "x")))))
                                      (: 0.0 f32))))]
             (each "d" (fn [u] (if full `(- ~(name "x" u) mean)
                                 `(arith.select (< ~(name "k" u) K) (- ~(name "x" u) mean) (: 0.0 ~F)))))
             [`(def variance (* each ~(team-sum 1 `(lane-sum (+ ~@(map (fn [u] `(* ~(name "d" u) ~(name "d" u)))
                                                                       us))))))
              `(def scale (spread ~F (math.rsqrt (+ variance epsilon))))]
             (each "x" (fn [u]
               `(cast ~F (cast ~(symbol (str "vector<8x" norm ">"))
                               (vector.fma (* ~(name "d" u) scale) (cast ~F ~(name "g" u)) (cast ~F ~(name "b" u))))))))
           [])
       ;; Uniform trip count for all threads of a block, including those whose rows are beyond the last.
       (fold ~(apply vector (concat (apply concat (map (fn [name] [name name]) loaded)) [`turn `(: 0 index)]))
             [base (* ~outputs teams ~block) N step]
         (def here (+ base (* ~outputs team)))
         ~@(map (fn [r]
             `(def ~(name "sum" r)
                (lane-sum ~(reduce (fn [sum u] `(vector.fma (cast ~F ~(weight r u)) ~(name "x" u) ~sum))
                                   `(: 0.0 ~F) us)))) rs)
         (def ~(if gated [`bias-here `factor-here `residual-here] [`bias-here `residual-here])
           (do [~@biases residual-own]))
         (def n (+ here step))
         (def more (< n N))
         ; Rows beyond the last repeat it; their sums are discarded.
         ~@(if (tuning :clamped-loads)
             (concat (load-rows `n true) (load-bias `n `more) (load-residual `n `more))
             [`(def ~loaded
                 (if more (do ~@(load-rows `n true) ~@(load-bias `n true) ~@(load-residual `n true) ~loaded)
                   (do ~loaded)))])
         ~@(map (fn [r] `(def ~(name "all" r) (warp-reduce :add ~(name "sum" r)))) rs)
         ~@(if (= warps 1)
             [`(def sum ~(reduce (fn [rest r] `(arith.select (= member ~r) ~(name "all" r) ~rest)) `all0 rs))]
             (concat
               [`(when (= (lane-id) 0)
                   ~@(map (fn [r] `(memref.store ~(name "all" r) parts turn (+ (* ~rows (warp-id)) ~r))) rs))
                `(barrier)
                `(def row (min member ~(- outputs 1)))
                `(def sum ~(team-part `row))]
               (if gated [`(def factor ~(team-part `(+ row ~outputs)))] [])))
         (when ~(mine `here)
           (def active (activate f32 (+ sum (cast f32 bias-here))))
           (def result ~(if gated `(* active (+ factor (cast f32 factor-here))) `active))
           (memref.store (cast ~O (+ result (cast f32 residual-here))) out t (+ here member)))
         [~@loaded (- (: 1 index) turn)]))))

;; Whether rows of K numbers of x and w can be read 8 columns at a time.
(defmacro gemv-aligned [A W]
  `(= (: 0 index) (+ (% K 8) (misaligned 8 ~A x t) (misaligned 8 ~W w 0) (misaligned 8 ~W w 1))))

;; Chooses the first entry of tuning.lisp that holds K columns; longer rows are read in chunks.
(defmacro gemv-for-size [A W O]
  `(do
     (def aligned (gemv-aligned ~A ~W))
     ~(reduce (fn [rest row]
                `(if (arith.andi aligned (<= K ~(nth row 0)))
                   (gemv-held ~A ~W ~O ~@(drop 1 row) false false false)
                   ~rest))
              `(gemv ~A ~W ~O 1 4 false false) (reverse (tuning :gemv-held)))))

;; Whether the parameters of the normalisation can be read 8 columns at a time.
(defmacro norm-aligned [W]
  `(= (: 0 index)
      (+ (misaligned 8 ~W norm_weight) (if {:result index} centred (misaligned 8 ~W norm_bias) (: 0 index)))))

;; Whether an entry of :norm-gemv-held is for K columns.
(defmacro norm-linear-fits [least most]
  (if (= least most) `(= K ~most) (if (= least 8) `(<= K ~most) `(arith.andi (>= K ~least) (<= K ~most)))))

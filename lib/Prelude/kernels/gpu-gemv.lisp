;; gpu-gemv.lisp - macros: one token times a matrix on a GPU, out = activation(x w^T + bias) + residual
;;
;; Bound by memory: a warp, or several where rows are long, takes a row of w, and asks for all of its share, 16 bytes a
;; lane at a time, before it uses any: what is in flight at once is what hides the memory's latency. Where the machine can
;; begin a kernel before the one before it has ended (gpu+sm_90), the rows are already on their way into the second-level
;; cache meanwhile; only then the kernel waits for its input.

(require-macros "gpu-early.lisp")

;; Bias, activation and residual of the sum for output n of token t.
(defmacro linear-result [W O sum t n]
  `(let [biased (if has-bias (+ ~sum (cast f32 (memref.load bias ~n))) ~sum)
         active (activate f32 biased)]
     (memref.store (cast ~O (if has-residual (+ active (cast f32 (memref.load residual ~t ~n))) active)) out ~t ~n)))

;; Pieces of 8 columns that a lane asks for before it uses the first: 3 are the whole of GPT-2's 768 columns.
(defmacro gemv-pieces [] 4)

;; Threads of a block.
(defmacro gemv-threads [] 256)

;; Layer normalisation of x, one row, by the whole block: to the block's memory `xs`, rounded as `normed` would be. What
;; is asked for in a round of 4 is in flight together.
(defmacro gemv-normalise [A W normed]
  (let [us (range 4)
        name (fn [prefix u] (symbol (str prefix u)))
        columns (map (fn [u] `(def ~(name "c" u) (+ c (* ~u (block-dim :x))))) us)
        each (fn [make] (map (fn [u] `(when (< ~(name "c" u) K) ~(make u))) us))
        rounds (fn [& body] `(for [c (thread-id :x) K (* 4 (block-dim :x))] ~@columns ~@(apply concat body)))]
    `(do
       (def each (/ (: 1.0 f32) (cast f32 K)))
       (def total
         (fold [s (: 0.0 f32)] [c (thread-id :x) K (* 4 (block-dim :x))]
           ~@columns
           ~@(map (fn [u] `(def ~(name "v" u)
                             (if {:result f32} (< ~(name "c" u) K) (cast f32 (memref.load x t ~(name "c" u))) (: 0.0 f32)))) us)
           ~@(each (fn [u] `(memref.store ~(name "v" u) xs ~(name "c" u))))
           (+ s ~@(map (fn [u] (name "v" u)) us))))
       (def mean (* each (block-reduce :add total)))
       (def squares
         (fold [s (: 0.0 f32)] [c (thread-id :x) K (block-dim :x)]
           (def d (- (memref.load xs c) mean))
           (math.fma d d s)))
       (def scale (math.rsqrt (+ (* each (block-reduce :add squares)) epsilon)))
       ~(rounds
          (map (fn [u] `(def ~(name "w" u)
                          (if {:result f32} (< ~(name "c" u) K) (cast f32 (memref.load norm_weight ~(name "c" u))) (: 0.0 f32)))) us)
          (map (fn [u] `(def ~(name "b" u)
                          (if {:result f32} (< ~(name "c" u) K) (cast f32 (memref.load norm_bias ~(name "c" u))) (: 0.0 f32)))) us)
          (each (fn [u]
            `(memref.store
               (cast f32 (cast ~normed (math.fma (* (- (memref.load xs ~(name "c" u)) mean) scale) ~(name "w" u) ~(name "b" u))))
               xs ~(name "c" u)))))
       (barrier))))

;; Token t. `rows`: outputs that a warp sums at a time. `warps`: warps that share these rows' columns. `norm`: the element type
;; that the layer-normalised x is rounded to, or false when x is taken as it is.
(defmacro gemv [target A W O rows warps norm]
  (let [rs (range rows)
        us (range (gemv-pieces))
        name (fn [prefix i] (symbol (str prefix i)))
        piece (fn [r u] (symbol (str "w" r "-" u)))
        sums (apply vector (map (fn [r] (name "sum" r)) rs))
        column (fn [u] (name "k" u))
        at (if norm (fn [k] `[xs ~k]) (fn [k] `[x t ~k]))
        X (if norm `f32 A)]
    `(launch {:name ~(if norm `norm-gemv `gemv) :grid [(ceil-div N ~(* rows (/ (/ (gemv-threads) 32) warps)))]
              :block [~(gemv-threads)] :shared ~(if norm `(* 4 K) 0)}
       ~@(if (= warps 1) [] [`(def parts (shared f32 [~(* rows (/ (gemv-threads) 32))]))])
       (def teams (/ (block-dim :x) (* ~warps (warp-size))))
       (def team (/ (warp-id) ~warps))
       (def lane (+ (* (% (warp-id) ~warps) (warp-size)) (lane-id)))
       (def lanes (* ~warps (warp-size)))
       (let-next-begin ~target)
       ~@(map (fn [r] `(prefetch-row ~target ~W w (min (- N 1) (+ (* ~rows (+ team (* teams (block-id :x)))) ~r)) K lane lanes)) rs)
       (wait-for-last ~target)
       ~@(if norm
           [`(def xs (memref.view {:result "memref<?xf32, #gpu.address_space<workgroup>>"}
                       (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"}) (: 0 index) K))
            `(gemv-normalise ~A ~W ~norm)]
           [])
       ;; All threads of a block go round together, also those whose rows are past the last.
       (for [base (* ~rows teams (block-id :x)) N (* ~rows teams (grid-dim :x))]
         ~@(map (fn [r] `(def ~(name "n" r) (min (- N 1) (+ base (* ~rows team) ~r)))) rs)
         (def K8 (vector-columns 8 K ~@(if norm [] [`[~A x t]]) ~@(map (fn [r] `[~W w ~(name "n" r)]) rs)))
         (def ~sums
           (fold ~(apply vector (apply concat (map (fn [s] [s `(: 0.0 vector<8xf32>)]) sums)))
                 [k (* 8 lane) K8 (* ~(* 8 (gemv-pieces)) lanes)]
             ~@(map (fn [u] `(def ~(column u) (+ k (* ~(* 8 u) lanes)))) us)
             ~@(apply concat (map (fn [u] (map (fn [r]
                 `(def ~(piece r u) (if (< ~(column u) K8)
                                      (vector.load {:result ~(symbol (str "vector<8x" W ">"))} w ~(name "n" r) ~(column u))
                                      (: 0.0 ~(symbol (str "vector<8x" W ">"))))))
                 rs)) us))
             ~@(map (fn [u]
                 `(def ~(name "x" u) (if (< ~(column u) K8) (load-f32 8 ~X ~@(at (column u))) (: 0.0 vector<8xf32>)))) us)
             ~(apply vector (map (fn [r]
                 (reduce (fn [sum u] `(vector.fma (cast vector<8xf32> ~(piece r u)) ~(name "x" u) ~sum))
                         (name "sum" r) us))
                 rs))))
         ~@(map (fn [r]
             `(def ~(name "all" r)
                (warp-reduce :add
                  (fold [s (lane-sum ~(name "sum" r))] [k (+ K8 lane) K lanes]
                    (math.fma (cast f32 (memref.load w ~(name "n" r) k)) (cast f32 (memref.load ~@(at `k))) s))))) rs)
         ~@(if (= warps 1)
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
              `(barrier)])))))

;; Long rows are shared by 4 warps, so that few of them fill the machine too.
(defmacro gemv-for-size [target A W O]
  `(if (>= K 2048) (gemv ~target ~A ~W ~O 1 4 false) (gemv ~target ~A ~W ~O 1 1 false)))

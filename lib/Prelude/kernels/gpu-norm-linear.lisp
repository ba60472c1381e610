;; gpu-norm-linear.lisp - nn.norm_linear of one token on a GPU
;;
;; The input is normalised again by everyone who needs it: that takes less than a kernel of its own, and happens while the
;; rows of w come. Up to 1024 channels a warp holds all of it in registers, each lane just the columns that it multiplies,
;; and no thread waits for another warp. Longer inputs are normalised by the block, to its memory (gpu-gemv.lisp). Several
;; tokens are nn.layer_norm and nn.linear by then (lispier-split-norm-linear).

(require-macros "gpu-gemv.lisp")

;; Blocks of a launch at most: as many as run at a time on a large GPU. Each normalises once and goes on to other rows.
(defmacro norm-gemv-blocks [] 528)

;; Columns of x that 32 lanes hold in registers.
(defmacro norm-gemv-columns [] 1024)

(defmacro norm-gemv-registers [target A W B O rows]
  (let [us (range 4)
        rs (range rows)
        name (fn [prefix u] (symbol (str prefix "-" u)))
        V (symbol (str "vector<8x" W ">"))
        F `vector<8xf32>
        each (fn [prefix make] (map (fn [u] `(def ~(name prefix u) ~(make u))) us))
        inside (fn [u value nothing] `(if (< ~(name "k" u) K) ~value ~nothing))
        all (fn [prefix] (map (fn [u] (name prefix u)) us))]
    `(launch {:name norm-gemv :grid [(min (norm-gemv-blocks) (ceil-div N ~(* 8 rows)))] :block [256]}
       (def warps (/ (block-dim :x) (warp-size)))
       (def n0 (* ~rows (+ (* warps (block-id :x)) (warp-id))))
       (let-next-begin ~target)
       ~@(map (fn [r] `(prefetch-row ~target ~W w (min (- N 1) (+ n0 ~r)) K (lane-id) (warp-size))) rs)
       (wait-for-last ~target)
       ~@(each "k" (fn [u] `(* 8 (+ (lane-id) (* ~u (warp-size))))))
       ~@(each "x" (fn [u] (inside u `(load-f32 8 ~A x 0 ~(name "k" u)) `(: 0.0 ~F))))
       ~@(each "g" (fn [u] (inside u `(vector.load {:result ~V} norm_weight ~(name "k" u)) `(: 0.0 ~V))))
       ~@(each "b" (fn [u] (inside u `(vector.load {:result ~V} norm_bias ~(name "k" u)) `(: 0.0 ~V))))
       (def each (/ (: 1.0 f32) (cast f32 K)))
       (def mean (spread ~F (* each (warp-reduce :add (lane-sum (+ ~@(all "x")))))))
       ~@(each "d" (fn [u] (inside u `(- ~(name "x" u) mean) `(: 0.0 ~F))))
       (def variance (* each (warp-reduce :add (lane-sum (+ ~@(map (fn [u] `(* ~(name "d" u) ~(name "d" u))) us))))))
       (def scale (spread ~F (math.rsqrt (+ variance epsilon))))
       ~@(each "y" (fn [u]
           `(cast ~F (cast ~(symbol (str "vector<8x" B ">"))
                           (vector.fma (* ~(name "d" u) scale) (cast ~F ~(name "g" u)) (cast ~F ~(name "b" u)))))))
       (for [n n0 N (* ~rows warps (grid-dim :x))]
         ~@(map (fn [r] `(def ~(name "n" r) (min (- N 1) (+ n ~r)))) rs)
         ~@(apply concat (map (fn [r]
             (each (str "w" r) (fn [u] (inside u `(vector.load {:result ~V} w ~(name "n" r) ~(name "k" u)) `(: 0.0 ~V))))) rs))
         ~@(map (fn [r]
             `(def ~(name "all" r)
                (warp-reduce :add (lane-sum
                  ~(reduce (fn [sum u] `(vector.fma (cast ~F ~(name (str "w" r) u)) ~(name "y" u) ~sum)) `(: 0.0 ~F) us))))) rs)
         ~@(map (fn [r]
             `(when (arith.andi (= (lane-id) ~r) (< (+ n ~r) N))
                (linear-result ~W ~O ~(name "all" r) 0 ~(name "n" r)))) rs)))))

(defmacro gpu-norm-linear [target A W B O]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.norm_linear {:for [~target] :attrs [activation]}
       [(: x ~(rows A)) (: norm_weight ~(row W)) (: norm_bias ~(row W)) (: epsilon f32) (: normed ~(rows B)) (: w ~(rows W))
        (: bias ~(row W)) (: residual ~(rows O)) (: out ~(rows O))]
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       (def t (: 0 index))
       (def vectors (= (: 0 index) (+ (% K 8) (misaligned 8 ~A x 0) (misaligned 8 ~W norm_weight) (misaligned 8 ~W norm_bias)
                                      (misaligned 8 ~W w 0) (misaligned 8 ~W w 1))))
       (if (arith.andi vectors (<= K (norm-gemv-columns)))
         ;; Two rows a warp: so that GPT-2's 2304 and 3072 outputs are one wave of blocks.
         (norm-gemv-registers ~target ~A ~W ~B ~O 2)
         (gemv ~target ~A ~W ~O 1 1 ~B)))))

(gpu-norm-linear gpu+sm_90 f32 bf16 f32 f32)
(gpu-norm-linear gpu+sm_90 f32 bf16 bf16 bf16)
(gpu-norm-linear gpu+sm_90 f32 bf16 bf16 f32)
(gpu-norm-linear gpu f32 bf16 f32 f32)
(gpu-norm-linear gpu f32 bf16 bf16 bf16)
(gpu-norm-linear gpu f32 bf16 bf16 f32)

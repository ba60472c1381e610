;; gpu-linear.lisp - nn.linear on a GPU: out = activation(x w^T + bias) + residual
;;
;; No vendor's op. One token (T = 1) is bound by memory: a warp, or several where rows are long, takes a row of w, and
;; asks for all of its share, 16 bytes a lane at a time, before it uses any: what is in flight at once is what hides the
;; memory's latency. More tokens are bound by arithmetic: a block makes a tile of 64 tokens by 64 outputs from
;; pieces of both matrices in shared memory, 4 x 4 sums a thread. gpu-matmul.lisp has what tensor cores do.
(require-macros "gpu-tensor-core.lisp" "gpu-matmul.lisp" "gpu-matmul-hopper.lisp")

;; Bias, activation and residual of the sum for output n of token t.
(defmacro linear-result [W O sum t n]
  `(let [biased (if has-bias (+ ~sum (cast f32 (memref.load bias ~n))) ~sum)
         active (activate f32 biased)]
     (memref.store (cast ~O (if has-residual (+ active (cast f32 (memref.load residual ~t ~n))) active)) out ~t ~n)))

;; --- one token --------------------------------------------------------------

;; Pieces of 8 columns that a lane asks for before it uses the first: 3 are the whole of GPT-2's 768 columns.
(defmacro gemv-pieces [] 4)

;; Threads of a block.
(defmacro gemv-threads [] 256)

;; `rows`: outputs that a warp sums at a time. `warps`: warps that share these rows' columns.
(defmacro gemv [A W O rows warps]
  (let [rs (range rows)
        us (range (gemv-pieces))
        name (fn [prefix i] (symbol (str prefix i)))
        piece (fn [r u] (symbol (str "w" r "-" u)))
        sums (apply vector (map (fn [r] (name "sum" r)) rs))
        column (fn [u] (name "k" u))]
    `(launch {:name gemv :grid [(ceil-div N ~(* rows (/ (/ (gemv-threads) 32) warps)))] :block [~(gemv-threads)]}
       ~@(if (= warps 1) [] [`(def parts (shared f32 [~(* rows (/ (gemv-threads) 32))]))])
       (def teams (/ (block-dim :x) (* ~warps (warp-size))))
       (def team (/ (warp-id) ~warps))
       (def lane (+ (* (% (warp-id) ~warps) (warp-size)) (lane-id)))
       (def lanes (* ~warps (warp-size)))
       ;; All threads of a block go round together, also those whose rows are past the last.
       (for [base (* ~rows teams (block-id :x)) N (* ~rows teams (grid-dim :x))]
         ~@(map (fn [r] `(def ~(name "n" r) (min (- N 1) (+ base (* ~rows team) ~r)))) rs)
         (def K8 (vector-columns 8 K [~A x 0] ~@(map (fn [r] `[~W w ~(name "n" r)]) rs)))
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
                 `(def ~(name "x" u) (if (< ~(column u) K8) (load-f32 8 ~A x 0 ~(column u)) (: 0.0 vector<8xf32>)))) us)
             ~(apply vector (map (fn [r]
                 (reduce (fn [sum u] `(vector.fma (cast vector<8xf32> ~(piece r u)) ~(name "x" u) ~sum))
                         (name "sum" r) us))
                 rs))))
         ~@(map (fn [r]
             `(def ~(name "all" r)
                (warp-reduce :add
                  (fold [s (lane-sum ~(name "sum" r))] [k (+ K8 lane) K lanes]
                    (math.fma (cast f32 (memref.load w ~(name "n" r) k)) (cast f32 (memref.load x 0 k)) s))))) rs)
         ~@(if (= warps 1)
             (map (fn [r] `(when (arith.andi (= (lane-id) ~r) (< (+ base (* ~rows team) ~r) N))
                             (linear-result ~W ~O ~(name "all" r) 0 ~(name "n" r)))) rs)
             [`(when (= (lane-id) 0)
                 ~@(map (fn [r] `(memref.store ~(name "all" r) parts (+ (* ~rows (warp-id)) ~r))) rs))
              `(barrier)
              `(do ~@(map (fn [r]
                   `(when (arith.andi (= lane ~r) (< (+ base (* ~rows team) ~r) N))
                      (linear-result ~W ~O
                        (+ ~@(map (fn [i] `(memref.load parts (+ (* ~rows (+ (* ~warps team) ~i)) ~r))) (range warps)))
                        0 ~(name "n" r)))) rs))
              `(barrier)])))))

;; --- several tokens ---------------------------------------------------------

(defmacro gemm-tile [] 64)
(defmacro gemm-depth [] 16)

;; Columns k0 .. k0 + 16 of 64 rows of m from row r0, to shared memory, columns first; 0 past the last.
(defmacro gemm-stage [T m r0 rows tile]
  `(for [i (thread-id :x) ~(* (gemm-tile) (gemm-depth)) 256]
     (def r (/ i ~(gemm-depth)))
     (def k (% i ~(gemm-depth)))
     (memref.store
       (if {:result f32} (arith.andi (< (+ ~r0 r) ~rows) (< (+ k0 k) K))
         (cast f32 (memref.load ~m (+ ~r0 r) (+ k0 k)))
         (: 0.0 f32))
       ~tile k r)))

(defmacro gemm [A W O]
  (let [is (range 4)
        each (fn [make] (apply concat (map (fn [i] (map (fn [j] (make i j)) is)) is)))
        sum (fn [i j] (symbol (str "s" i j)))
        name (fn [prefix i] (symbol (str prefix i)))
        sums (apply vector (each sum))]
    `(launch {:name gemm :grid [(ceil-div N (gemm-tile)) (ceil-div T (gemm-tile))] :block [256]}
       (def xs (shared f32 [~(gemm-depth) ~(+ (gemm-tile) 1)]))
       (def ws (shared f32 [~(gemm-depth) ~(+ (gemm-tile) 1)]))
       (def n0 (* (block-id :x) (gemm-tile)))
       (def t0 (* (block-id :y) (gemm-tile)))
       (def column (% (thread-id :x) 16))
       (def row (* 4 (/ (thread-id :x) 16)))
       (def ~sums
         (fold ~(apply vector (apply concat (map (fn [s] [s `(: 0.0 f32)]) sums))) [k0 0 K (gemm-depth)]
           (gemm-stage ~A x t0 T xs)
           (gemm-stage ~W w n0 N ws)
           (barrier)
           (def ~sums
             (fold ~(apply vector (apply concat (map (fn [s] [s s]) sums))) [k 0 (gemm-depth)]
               ~@(map (fn [i] `(def ~(name "x" i) (memref.load xs k (+ row ~i)))) is)
               ~@(map (fn [j] `(def ~(name "w" j) (memref.load ws k (+ column ~(* 16 j))))) is)
               ~(apply vector (each (fn [i j] `(math.fma ~(name "x" i) ~(name "w" j) ~(sum i j)))))))
           (barrier)
           ~sums))
       ~@(each (fn [i j]
           `(let [t (+ t0 row ~i) n (+ n0 column ~(* 16 j))]
              (when (arith.andi (< t T) (< n N)) (linear-result ~W ~O ~(sum i j) t n))))))))

;; --- the templates ----------------------------------------------------------

;; What the templates of nn.linear begin with. A, W, O: element types of x, of w and bias, of residual and out.
(defmacro gpu-linear-template [target A W O & body]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.linear {:for [~target] :attrs [activation]}
       [(: x ~(rows A)) (: w ~(rows W)) (: bias ~(row W)) (: residual ~(rows O)) (: out ~(rows O))]
       (def T (memref.dim x 0))
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       ~@body)))

;; One token. Long rows are shared by 4 warps, so that few of them fill the machine too; where there are very many, a
;; warp takes 4, for which it loads x once.
(defmacro gemv-for-size [A W O]
  `(if (>= K 2048)
     (gemv ~A ~W ~O 1 4)
     (if (>= N 16384) (gemv ~A ~W ~O 4 1) (gemv ~A ~W ~O 1 1))))

;; On NVIDIA's tensor cores. The first that fits is taken.
(defmacro tensor-core-linear [target how A O]
  `(gpu-linear-template ~target ~A bf16 ~O
     (if (= T 1) (gemv-for-size ~A bf16 ~O) (matmul-launch ~how ~A ~O))))
(tensor-core-linear gpu+sm_90a wgmma bf16 bf16)
(tensor-core-linear gpu+sm_90a wgmma bf16 f32)
(tensor-core-linear gpu+sm_80 mma bf16 bf16)
(tensor-core-linear gpu+sm_80 mma bf16 f32)
(tensor-core-linear gpu+sm_80 mma f32 f32)

(defmacro gpu-linear [A W O]
  `(gpu-linear-template gpu ~A ~W ~O
     (if (= T 1) (gemv-for-size ~A ~W ~O) (gemm ~A ~W ~O))))

(gpu-linear f32 bf16 f32)
(gpu-linear bf16 bf16 bf16)
(gpu-linear bf16 bf16 f32)
(gpu-linear f32 f32 f32)

;; gpu-linears.lisp - nn.linears and nn.norm_linears on a GPU: one token times two or three matrices
;;
;; One launch whose blocks are divided among the matrices. What a block does is as in gpu-gemv.lisp, with or without the
;; norm, and the results are the same: two launches less, and queries, keys and values of one token are computed at the
;; same time. A matrix of few rows alone, such as that of shared keys, does not have blocks for all multiprocessors.

(require-macros "gpu-gemv.lisp")

;; `need`: a macro of the number of rows, for how many blocks a product has work. `most`: blocks that can be resident,
;; or false if each block has one round of work. The three numbers of blocks are in proportion to the rows.
(defmacro linears-launch [name threads shared need most product]
  (let [numbers [1 2 3]
        of (fn [prefix i] (symbol (str prefix i)))
        rows [`N `N2 `N3]
        share (fn [i]
                (if most
                  `(if {:result index} (> need ~most) (min ~(of "need" i) (max 1 (/ (* ~(of "need" i) ~most) need)))
                     ~(of "need" i))
                  (of "need" i)))]
    `(do
       ~@(map (fn [i] `(def ~(of "need" i) (~@need ~(nth rows (- i 1))))) numbers)
       (def need (+ need1 need2 need3))
       ~@(map (fn [i] `(def ~(of "blocks" i) ~(share i))) numbers)
       (launch {:name ~name :grid [(+ blocks1 blocks2 blocks3)] :block [~threads] :shared ~shared}
         (def id (block-id :x))
         (def residual out)
         (def has-residual false)
         (if (< id blocks1) (let [block id blocks blocks1] ~product)
           (if (or (= N3 0) (< id (+ blocks1 blocks2)))
             (let [w w2 bias bias2 has-bias has-bias2 residual out2 out out2 N N2 block (- id blocks1) blocks blocks2]
               ~product)
             (let [w w3 bias bias3 has-bias has-bias3 residual out3 out out3 N N3
                   block (- id blocks1 blocks2) blocks blocks3]
               ~product)))))))

(defmacro linears [A W O rows warps norm]
  `(linears-launch ~(if norm `norm-gemv `gemv) ~(gemv-threads) ~(if norm `(* 4 K) 0) [linears-need ~rows ~warps] false
     (gemv-product block blocks ~A ~W ~O ~rows ~warps ~norm false)))
(defmacro linears-need [rows warps N] `(gemv-need ~N ~rows ~warps false))

(defmacro linears-held [A W O rows warps pieces full norm]
  `(linears-launch ~(if norm `norm-gemv `gemv) ~(gemv-block warps) 0 [linears-held-need ~rows ~warps]
     ~(gemv-blocks (gemv-block warps))
     (gemv-held-product block blocks ~A ~W ~O ~rows ~warps ~pieces ~full ~norm false)))
(defmacro linears-held-need [rows warps N] `(gemv-held-need ~N ~rows ~warps false))

;; Whether rows of K numbers of x and of all matrices can be read 8 columns at a time.
(defmacro linears-aligned [A W]
  `(= (: 0 index)
      (+ (% K 8) (misaligned 8 ~A x t) (misaligned 8 ~W w 0) (misaligned 8 ~W w 1) (misaligned 8 ~W w2 0)
         (misaligned 8 ~W w2 1)
         (if {:result index} (> N3 0) (+ (misaligned 8 ~W w3 0) (misaligned 8 ~W w3 1)) (: 0 index)))))

;; What both templates know of their operands.
(defmacro linears-body [& body]
  `(do
     (def K (memref.dim x 1))
     (def N (memref.dim w 0))
     (def N2 (memref.dim w2 0))
     (def N3 (memref.dim w3 0))
     (def has-bias (> (memref.dim bias 0) 0))
     (def has-bias2 (> (memref.dim bias2 0) 0))
     (def has-bias3 (> (memref.dim bias3 0) 0))
     (def activation (: 0 i64))
     (def t (: 0 index))
     ~@body))

;; Choose the first entry of tuning.lisp that holds K columns; longer rows are read in chunks.
(defmacro linears-for-size [A W O]
  `(do
     (def aligned (linears-aligned ~A ~W))
     ~(reduce (fn [rest entry]
                `(if (arith.andi aligned (<= K ~(nth entry 0))) (linears-held ~A ~W ~O ~@(drop 1 entry) false false)
                   ~rest))
              `(linears ~A ~W ~O 1 4 false) (reverse (tuning :gemv-held)))))
(defmacro norm-linears-for-size [A W B O]
  `(do
     (def centred (> (memref.dim norm_bias 0) 0))
     (def vectors (arith.andi (linears-aligned ~A ~W) (norm-aligned ~W)))
     ~(reduce (fn [rest entry]
                (let [[least most rows warps pieces] entry]
                  `(if (arith.andi vectors (norm-linear-fits ~least ~most))
                     (linears-held ~A ~W ~O ~rows ~warps ~pieces
                                   ~(= least most (* 8 (* pieces warps (warp-lanes)))) ~B)
                     ~rest)))
              `(linears ~A ~W ~O 1 1 ~B) (reverse (tuning :norm-gemv-held)))))

(defmacro gpu-linears [A W O]
  `(deftemplate nn.linears {:for [gpu] :attrs [constant_weights] :groups [one-row-products]}
     [(: x ~(rows-of A)) (: w ~(rows-of W)) (: w2 ~(rows-of W)) (: w3 ~(rows-of W)) (: bias ~(row-of W))
      (: bias2 ~(row-of W)) (: bias3 ~(row-of W)) (: out2 ~(rows-of O)) (: out3 ~(rows-of O)) (: out ~(rows-of O))]
     (linears-body (linears-for-size ~A ~W ~O))))
(gpu-linears f32 bf16 f32)
(gpu-linears f32 bf16 bf16)
(gpu-linears bf16 bf16 bf16)
(gpu-linears bf16 bf16 f32)
(gpu-linears f32 f32 f32)

(defmacro gpu-norm-linears [A W B O]
  `(deftemplate nn.norm_linears {:for [gpu] :attrs [constant_weights] :groups [normed-one-row-products]}
     [(: x ~(rows-of A)) (: norm_weight ~(row-of W)) (: norm_bias ~(row-of W)) (: epsilon f32) (: normed ~(rows-of B))
      (: w ~(rows-of W)) (: w2 ~(rows-of W)) (: w3 ~(rows-of W)) (: bias ~(row-of W)) (: bias2 ~(row-of W))
      (: bias3 ~(row-of W)) (: out2 ~(rows-of O)) (: out3 ~(rows-of O)) (: out ~(rows-of O))]
     (linears-body (norm-linears-for-size ~A ~W ~B ~O))))
(gpu-norm-linears f32 bf16 f32 f32)
(gpu-norm-linears f32 bf16 f32 bf16)
(gpu-norm-linears f32 bf16 bf16 bf16)
(gpu-norm-linears f32 bf16 bf16 f32)
(gpu-norm-linears bf16 bf16 bf16 bf16)
(gpu-norm-linears bf16 bf16 bf16 f32)

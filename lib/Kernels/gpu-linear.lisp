;; gpu-linear.lisp - nn.linear on a GPU: out = activation(x w^T + bias) + residual
;;
;; One token (T = 1) is gpu-gemv.lisp's. More tokens are bound by arithmetic: a block makes a tile of 64 tokens by 64
;; outputs from pieces of both matrices in shared memory, 4 x 4 sums a thread, with no vendor's op. gpu-matmul.lisp has what
;; tensor cores do.

(require-macros "gpu-early.lisp" "gpu-gemv.lisp" "gpu-tensor-core.lisp" "gpu-matmul.lisp" "gpu-matmul-hopper.lisp")

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
(defmacro gpu-linear-template [target A W O attributes & body]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.linear ~attributes
       [(: x ~(rows A)) (: w ~(rows W)) (: bias ~(row W)) (: residual ~(rows O)) (: out ~(rows O))]
       (def T (memref.dim x 0))
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       ~@body)))

;; On NVIDIA's tensor cores. The first that fits is taken.
(defmacro tensor-core-linear [target how A O]
  ;; The many-row kernels are large: one of each serves all activations.
  `(gpu-linear-template ~target ~A bf16 ~O {:for [~target] :attrs [constant_weights several_rows] :values [activation]}
     (if (arith.andi (!= several_rows (: 1 i64)) (= T 1)) (let [t (: 0 index)] (gemv-for-size ~target ~A bf16 ~O)) (matmul-launch ~target ~how ~A ~O))))
(tensor-core-linear gpu+sm_90a wgmma bf16 bf16)
(tensor-core-linear gpu+sm_90a wgmma bf16 f32)
(tensor-core-linear gpu+sm_90a wgmma f32 f32)
(tensor-core-linear gpu+sm_90a wgmma f32 bf16)
(tensor-core-linear gpu+sm_80 mma bf16 bf16)
(tensor-core-linear gpu+sm_80 mma bf16 f32)
(tensor-core-linear gpu+sm_80 mma f32 f32)
(tensor-core-linear gpu+sm_80 mma f32 bf16)

(defmacro gpu-linear [A W O]
  `(gpu-linear-template gpu ~A ~W ~O {:for [gpu] :attrs [activation constant_weights several_rows]}
     ;; A tile for a handful of tokens would be mostly empty.
     (if (<= T 4) (for [t 0 T] (gemv-for-size gpu ~A ~W ~O)) (gemm ~A ~W ~O))))

(gpu-linear f32 bf16 f32)
(gpu-linear f32 bf16 bf16)
(gpu-linear bf16 bf16 bf16)
(gpu-linear bf16 bf16 f32)
(gpu-linear f32 f32 f32)

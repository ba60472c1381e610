;; gpu-linear.lisp - nn.linear on a GPU: out = activation(x w^T + bias) + residual
;;
;; gpu-gemv.lisp has the kernels for one token (T = 1). Several tokens are compute bound: a block computes a tile of 64
;; tokens by 64 outputs from chunks of both matrices in shared memory, 4 x 4 sums per thread, with portable ops only.
;; gpu-matmul.lisp uses tensor cores, gpu-linear-tiles.lisp AMD's matrix units.

(require-macros "gpu-dependent-launch.lisp" "gpu-gemv.lisp" "gpu-tensor-core.lisp" "gpu-matmul.lisp"
  "gpu-matmul-hopper.lisp"
                "gpu-linear-tiles.lisp")

;; --- several tokens ---------------------------------------------------------

(defmacro gemm-tile [] 64)
(defmacro gemm-depth [] 32)

;; Loads columns k .. k + 8 of row r of m, without conversion. Columns beyond the last are 0: their loads are clamped
;; to a valid address instead of branched around, so that all loads of a thread are in flight together. wide: one
;; vector access.
(defmacro gemm-load [wide T m r]
  (let [V (symbol (str "vector<8x" T ">"))]
    (if wide
      `(arith.select (< k K) (vector.load {:result ~V} ~m ~r (min k (- K 8))) (: 0.0 ~V))
      `(vector.from_elements {:result ~V}
         ~@(map (fn [i] `(arith.select (< (+ k ~i) K) (memref.load ~m ~r (min (+ k ~i) (- K 1))) (: 0.0 ~T)))
             (range 8))))))

;; Stores to shared memory, transposed.
(defmacro gemm-store [v tile]
  `(do ~@(map (fn [i] `(memref.store (cast f32 (vector.extract {:static_position ~(str "array<i64: " i ">")} ~v)) ~tile
                                     (+ c ~i) r))
              (range 8))))

(defmacro gemm [wide A W O]
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
       ;; This thread copies 8 columns from c on of row r of each tile. Rows beyond the last repeat it; their sums are
       ;; discarded.
       (def r (/ (thread-id :x) ~(/ (gemm-depth) 8)))
       (def c (* 8 (% (thread-id :x) ~(/ (gemm-depth) 8))))
       (def x-row (min (+ t0 r) (- T 1)))
       (def w-row (min (+ n0 r) (- N 1)))
       (def ~sums
         (fold ~(apply vector (apply concat (map (fn [s] [s `(: 0.0 f32)]) sums))) [k0 0 K (gemm-depth)]
           (def k (+ k0 c))
           (def x8 (gemm-load ~wide ~A x x-row))
           (def w8 (gemm-load ~wide ~W w w-row))
           (gemm-store x8 xs)
           (gemm-store w8 ws)
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

;; Whether rows of K numbers of x and w can be read 8 columns at a time.
(defmacro gemm-aligned [A W]
  `(= (: 0 index) (+ (% K 8) (misaligned 8 ~A x 0) (misaligned 8 ~A x 1) (misaligned 8 ~W w 0) (misaligned 8 ~W w 1))))

;; --- the templates ----------------------------------------------------------

;; Defines a template of nn.linear. A, W, O: element types of x, of w and bias, of residual and out.
(defmacro gpu-linear-template [A W O attributes & body]
  `(deftemplate nn.linear ~attributes
     [(: x ~(rows-of A)) (: w ~(rows-of W)) (: bias ~(row-of W)) (: residual ~(rows-of O)) (: out ~(rows-of O))]
     (def T (memref.dim x 0))
     (def K (memref.dim x 1))
     (def N (memref.dim w 0))
     (def has-bias (> (memref.dim bias 0) 0))
     (def has-residual (> (memref.dim residual 0) 0))
     ~@body))

;; On tensor cores. The first template that fits is selected.
(defmacro tensor-core-linear [A O]
  ;; Kernels for several tokens are large, so the activation is a run-time value and not a constant of the clone.
  `(gpu-linear-template ~A bf16 ~O {:for [gpu+mma-bf16] :attrs [constant_weights several_rows] :values [activation]
                                     :groups [one-row-product product]}
     (if (arith.andi (!= several_rows (: 1 i64)) (= T 1)) (let [t (: 0 index)] (gemv-for-size ~A bf16 ~O))
       (matmul-launch ~A ~O))))
(tensor-core-linear bf16 bf16)
(tensor-core-linear bf16 f32)
(tensor-core-linear f32 f32)
(tensor-core-linear f32 bf16)

;; On AMD's matrix units.
(defmacro matrix-unit-linear [A O]
  `(do
     (linear-program ~A ~O)
     (gpu-linear-template ~A bf16 ~O {:for [gpu+mfma gpu+wmma] :attrs [activation constant_weights several_rows]
                                  :groups [one-row-product product]}
       ;; With few tokens most of a tile would be unused.
       (if (<= T 4) (for [t 0 T] (gemv-for-size ~A bf16 ~O)) (linear-tiles ~A ~O)))))
(matrix-unit-linear bf16 bf16)
(matrix-unit-linear bf16 f32)
(matrix-unit-linear f32 f32)
(matrix-unit-linear f32 bf16)

;; Generated kernels are as fast for several tokens with weights of F32.
(defmacro gpu-linear [A W O]
  `(gpu-linear-template ~A ~W ~O {:for [gpu] :attrs [activation constant_weights several_rows]
                                  :groups ~(if (= (str W) "f32") `[one-row-product] `[one-row-product product])}
     ;; With few tokens most of a tile would be unused.
     (if (<= T 4) (for [t 0 T] (gemv-for-size ~A ~W ~O))
       (if (gemm-aligned ~A ~W) (gemm true ~A ~W ~O) (gemm false ~A ~W ~O)))))

(gpu-linear f32 bf16 f32)
(gpu-linear f32 bf16 bf16)
(gpu-linear bf16 bf16 bf16)
(gpu-linear bf16 bf16 f32)
(gpu-linear f32 f32 f32)

;; gpu-norm-linear.lisp - nn.norm_linear of one token on a GPU
;;
;; The input is normalised again by everyone who needs it: that takes less than a kernel of its own, and happens while the
;; rows of w come. Where warps have 32 lanes and the input is GPT-2's 768 or 1024 channels, a warp holds all of it in
;; registers, each lane just the columns that it multiplies, and no thread waits for another warp; 3 rows a warp make one
;; wave of blocks of 2304 and of 3072 outputs. Other inputs are normalised by the block, to its memory (gpu-gemv.lisp).
;; Several tokens are nn.layer_norm and nn.linear by then (lispier-split-norm-linear).

(require-macros "gpu-gemv.lisp")

(defmacro gpu-norm-linear [target A W B O]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.norm_linear {:for [~target] :attrs [activation constant_weights]}
       [(: x ~(rows A)) (: norm_weight ~(row W)) (: norm_bias ~(row W)) (: epsilon f32) (: normed ~(rows B)) (: w ~(rows W))
        (: bias ~(row W)) (: residual ~(rows O)) (: out ~(rows O))]
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       (def t (: 0 index))
       ~(if (= target `gpu)
          `(gemv ~target ~A ~W ~O 1 1 ~B)
          `(do
             (def vectors (arith.andi (gemv-aligned ~A ~W)
                                      (= (: 0 index) (+ (misaligned 8 ~W norm_weight) (misaligned 8 ~W norm_bias)))))
             (if (arith.andi vectors (= K 768)) (gemv-held ~target ~A ~W ~O 3 1 3 true ~B)
               (if (arith.andi vectors (= K 1024)) (gemv-held ~target ~A ~W ~O 3 1 4 true ~B)
                 (gemv ~target ~A ~W ~O 1 1 ~B))))))))

;; The first that fits is taken.
(defmacro gpu-norm-linears [target]
  `(do
     (gpu-norm-linear ~target f32 bf16 f32 f32)
     (gpu-norm-linear ~target f32 bf16 f32 bf16)
     (gpu-norm-linear ~target f32 bf16 bf16 bf16)
     (gpu-norm-linear ~target f32 bf16 bf16 f32)))
(gpu-norm-linears gpu+sm_90)
(gpu-norm-linears gpu+warp32)
(gpu-norm-linears gpu)

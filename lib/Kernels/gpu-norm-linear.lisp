;; gpu-norm-linear.lisp - nn.norm_linear of one token on a GPU
;;
;; Layer normalisation, or RMS normalisation if there is no bias of it. Every warp or block recomputes the normalised
;; input: that is cheaper than a separate kernel, and overlaps the loads of w. For the lengths in tuning.lisp a warp, or
;; the warps that share rows of w, hold the input in registers, each lane the columns that it multiplies. Other inputs
;; are normalised by the block into shared memory (gpu-gemv.lisp). For several tokens lispier-split-norm-linear has
;; already split the op.

(require-macros "gpu-gemv.lisp")

;; An entry of tuning.lisp is full if every lane has all its chunks. The two halves of a gated product are rows of one
;; team.
(defmacro norm-linear-for-size [A W B O gated]
  `(do
     (def vectors (arith.andi (gemv-aligned ~A ~W) (norm-aligned ~W)))
     ~(reduce (fn [rest row]
                (let [[least most rows warps pieces] row]
                  `(if (arith.andi vectors (norm-linear-fits ~least ~most))
                     (gemv-held ~A ~W ~O ~rows ~warps ~pieces ~(= least most (* 8 (* pieces warps (warp-lanes)))) ~B
                                ~gated)
                     ~rest)))
              `(gemv ~A ~W ~O ~(if gated 2 1) 1 ~B ~gated)
              (reverse (filter (fn [[least most rows warps pieces]]
                                 (if gated (if (= (mod rows 2) 0) (> warps 1) false) true))
                               (tuning :norm-gemv-held))))))

(defmacro gpu-norm-linear [A W B O]
  `(deftemplate nn.norm_linear {:for [gpu] :attrs [constant_weights gated] :values [activation]
                                :groups [normed-one-row-product gated-one-row-product]}
     [(: x ~(rows-of A)) (: norm_weight ~(row-of W)) (: norm_bias ~(row-of W)) (: epsilon f32) (: normed ~(rows-of B))
      (: w ~(rows-of W)) (: bias ~(row-of W)) (: residual ~(rows-of O)) (: out ~(rows-of O))]
     (def K (memref.dim x 1))
     (def N (memref.dim out 1))
     (def centred (> (memref.dim norm_bias 0) 0))
     (def has-bias (> (memref.dim bias 0) 0))
     (def has-residual (> (memref.dim residual 0) 0))
     (def t (: 0 index))
     (if (= gated (: 1 i64)) (norm-linear-for-size ~A ~W ~B ~O true) (norm-linear-for-size ~A ~W ~B ~O false))))

(gpu-norm-linear f32 bf16 f32 f32)
(gpu-norm-linear f32 bf16 f32 bf16)
(gpu-norm-linear f32 bf16 bf16 bf16)
(gpu-norm-linear f32 bf16 bf16 f32)
(gpu-norm-linear bf16 bf16 bf16 bf16)
(gpu-norm-linear bf16 bf16 bf16 f32)

;; gpu-norm-linear.lisp - nn.norm_linear of one token on a GPU
;;
;; The input is normalised again by everyone who needs it: that takes less than a kernel of its own, and happens while the
;; rows of w come. Of the lengths that tuning.lisp lists a warp holds all of it in registers, each lane just the columns that
;; it multiplies, and no thread waits for another warp. Other inputs are normalised by the block, to its memory
;; (gpu-gemv.lisp).
;; Several tokens are nn.layer_norm and nn.linear by then (lispier-split-norm-linear).

(require-macros "gpu-gemv.lisp")

;; A row of tuning.lisp is full when all lanes have its pieces.
(defmacro norm-linear-for-size [A W B O]
  `(do
     (def vectors (arith.andi (gemv-aligned ~A ~W)
                              (= (: 0 index) (+ (misaligned 8 ~W norm_weight) (misaligned 8 ~W norm_bias)))))
     ~(reduce (fn [rest row]
                (let [least (nth row 0)
                      most (nth row 1)
                      pieces (nth row 3)
                      fits (if (= least most) `(= K ~most) (if (= least 8) `(<= K ~most) `(arith.andi (>= K ~least) (<= K ~most))))]
                  `(if (arith.andi vectors ~fits)
                     (gemv-held ~A ~W ~O ~(nth row 2) 1 ~pieces ~(= least most (* 8 (* pieces (warp-lanes)))) ~B) ~rest)))
              `(gemv ~A ~W ~O 1 1 ~B) (reverse (tuning :norm-gemv-held)))))

(defmacro gpu-norm-linear [A W B O]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.norm_linear {:for [gpu] :attrs [activation constant_weights]}
       [(: x ~(rows A)) (: norm_weight ~(row W)) (: norm_bias ~(row W)) (: epsilon f32) (: normed ~(rows B)) (: w ~(rows W))
        (: bias ~(row W)) (: residual ~(rows O)) (: out ~(rows O))]
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       (def t (: 0 index))
       (norm-linear-for-size ~A ~W ~B ~O))))

(gpu-norm-linear f32 bf16 f32 f32)
(gpu-norm-linear f32 bf16 f32 bf16)
(gpu-norm-linear f32 bf16 bf16 bf16)
(gpu-norm-linear f32 bf16 bf16 f32)

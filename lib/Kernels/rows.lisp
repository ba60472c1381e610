;; rows.lisp - layer normalisation and argmax on a CPU
;;
;; A row is read three times (mean, variance, result), from the L2 cache, which the
;; row before fills while its result is written. Separate passes for mean and
;; variance avoid cancellation. The mean is rounded, too: where that can show, in rows
;; of equal numbers or of a mean far above their deviation, a fourth pass sums what the
;; mean leaves over, and variance and result are without it.

;; The sum of the terms at the columns `c` of 0 .. C16, a vector: `step` is the sum after `s`. Four sums at once hide
;; the latency of an addition.
(defmacro sum-of-lanes [s c step]
  `(let [[s0 s1 s2 s3]
         (fold [s0 zeros s1 zeros s2 zeros s3 zeros] [~c 0 (floor-to 64 C16) 64]
           [~@(map (fn [i] `(let [~s ~(symbol (str "s" i)) ~c (+ ~c ~(* 16 i))] ~step)) (range 4))])]
     (lane-sum (fold [~s (+ (+ s0 s1) (+ s2 s3))] [~c (floor-to 64 C16) C16 16] ~step))))

(defmacro layer-norm-template [A W O]
  ;; All norms of a program are calls of one function: it compiles in less time than with loops for each.
  `(deftemplate nn.layer_norm {:for [cpu] :groups [layer-norm]}
     [(: x ~(rows-of A)) (: weight ~(row-of W)) (: bias ~(row-of W))
      (: out ~(rows-of O)) (: epsilon f32)]
     (def C (memref.dim x 1))
     (def C16 (floor-to 16 C))
     (def each (/ (: 1.0 f32) (cast f32 C)))
     (def zeros (: 0.0 vector<16xf32>))
     (parallel [t (memref.dim x 0)]
       (def total (sum-of-lanes s c (+ s (load-f32 16 ~A x t c))))
       (def mean (* each (fold [s total] [c C16 C] (+ s (load-f32 1 ~A x t c)))))
       (def means (vector.broadcast {:result vector<16xf32>} mean))
       (def squares
         (sum-of-lanes s c (let [d (- (load-f32 16 ~A x t c) means)] (vector.fma d d s))))
       (def square
         (fold [s squares] [c C16 C]
           (def d (- (load-f32 1 ~A x t c) mean))
           (math.fma d d s)))
       ;; More than sums of C numbers are wrong by; a ten thousandth of the deviation does not show.
       (def wrong (* mean (+ (: 1e-6 f32) (* (: 1e-9 f32) (cast f32 C)))))
       (def spread (* each square))
       (def [left variance]
         (if {:result [f32 f32]} (> (* wrong wrong) (* (: 1e-8 f32) spread))
           (do (def rests (sum-of-lanes s c (+ s (- (load-f32 16 ~A x t c) means))))
               (def left (* each (fold [s rests] [c C16 C] (+ s (- (load-f32 1 ~A x t c) mean)))))
               [left (max (- spread (* left left)) (: 0.0 f32))])
           (do [(: 0.0 f32) spread])))
       (def scale (math.rsqrt (+ variance epsilon)))
       (def shift (* (- left) scale))
       (def scales (vector.broadcast {:result vector<16xf32>} scale))
       (def shifts (vector.broadcast {:result vector<16xf32>} shift))
       (for [c 0 C16 16]
         (prefetch-far x (+ t 1) c)
         (def y (vector.fma (- (load-f32 16 ~A x t c) means) scales shifts))
         (store-f32 16 ~O (vector.fma y (load-f32 16 ~W weight c) (load-f32 16 ~W bias c)) out t c))
       (for [c C16 C]
         (def y (math.fma (- (load-f32 1 ~A x t c) mean) scale shift))
         (store-f32 1 ~O (math.fma y (load-f32 1 ~W weight c) (load-f32 1 ~W bias c)) out t c)))))

(layer-norm-template f32 bf16 f32)
(layer-norm-template f32 f32 f32)
(layer-norm-template f32 bf16 bf16)
(layer-norm-template bf16 bf16 bf16)

;; Finds the maximum first (ignoring NaNs), then the first index that has this value.
;; If no logit is above -inf the result is 0, as the op defines: -inf equals the first
;; element, and a row of NaNs leaves the initial V, which is replaced by 0.
(deftemplate nn.argmax {:for [cpu]} [(: logits "memref<?xf32, strided<[1], offset: ?>>")
                                     (: out "memref<1xi32, strided<[1], offset: ?>>")]
  (def V (memref.dim logits 0))
  (def V16 (floor-to 16 V))
  (def largest-lanes
    (lane-max (fold [m (: -inf vector<16xf32>)] [i 0 V16 16] (arith.maxnumf m (load-f32 16 f32 logits i)))))
  (def largest (fold [m largest-lanes] [i V16 V] (arith.maxnumf m (memref.load logits i))))
  (def wanted (vector.broadcast {:result vector<16xf32>} largest))
  (def lane-ids (arith.constant {:value
                                 "dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>"}))
  (def none (cast i32 V))
  (def nones (vector.broadcast {:result vector<16xi32>} none))
  (def first-lanes
    (fold [f nones] [i 0 V16 16]
      (def ids (+ lane-ids (vector.broadcast {:result vector<16xi32>} (cast i32 i))))
      (arith.minsi f (arith.select (= wanted (load-f32 16 f32 logits i)) ids nones))))
  (def first-index
    (fold [f (vector.reduction {:kind "#vector.kind<minsi>" :result i32} first-lanes)] [i V16 V]
      (arith.minsi f (arith.select (= largest (memref.load logits i)) (cast i32 i) none))))
  (memref.store (if (> largest (: -inf f32)) first-index (: 0 i32)) out 0))

;; gpu-norm-product.lisp - nn.norm_product: layer norm and product of several tokens, by F16, on sm_90a
;;
;; A normalised row of F32 times BF16 is two products of BF16 terms (gpu-matmul.lisp). Where results have 16 bits, 11
;; bits of a row's mantissa are enough, and one product of F16: a first kernel normalises the rows, and converts them
;; and the weights, which are read from memory once either way. F16 has fewer exponents than BF16. So the rows of a
;; weight are multiplied by powers of two, by which their greatest number is nearly 2^15; the normalised rows by one,
;; from a bound of what the norm can give: a normalised number is at most K^0.5. Sums are multiplied by the inverses.

(require-macros "gpu-dependent-launch.lisp" "gpu-gemv.lisp" "gpu-tensor-core.lisp" "gpu-matmul.lisp"
  "gpu-matmul-hopper.lisp")

;; Eight columns from c on, as F32, with `other` beyond the last. Loads are clamped to valid addresses instead of
;; branched around, so that those of several pieces are in flight together.
(defmacro load-eight [wide E other c m & row]
  (if wide
    `(arith.select (< ~c K)
       (cast vector<8xf32> (vector.load {:result ~(str "vector<8x" E ">")} ~m ~@row (min ~c (- K 8))))
       (vector.broadcast {:result vector<8xf32>} ~other))
    `(vector.from_elements {:result vector<8xf32>}
       ~@(map (fn [i] `(arith.select (< (+ ~c ~i) K) (cast f32 (memref.load ~m ~@row (min (+ ~c ~i) (- K 1)))) ~other))
              (range 8)))))

;; A power of two that multiplies numbers up to `bound` to less than 2^15, and its inverse; of bounds below 2^-107 less.
(defmacro def-power [power inverse bound]
  (let [exponent (gensym) bits (gensym)]
    `(do
       (def ~exponent (arith.andi (arith.bitcast {:result i32} ~bound) (: 2139095040 i32)))
       (def ~exponent (max (: 167772160 i32) (min (: 2130706432 i32) ~exponent)))
       (def ~bits (- (: -2046820352 i32) ~exponent))
       (def ~power (arith.bitcast {:result f32} ~bits))
       (def ~inverse (arith.bitcast {:result f32} (- (: 2130706432 i32) ~bits))))))

(defmacro spread-eight [v] `(vector.broadcast {:result vector<8xf32>} ~v))

;; A lane has several pieces of eight columns at a time if it reads them by vectors; 3 cover GPT-2's 768 columns.
(defmacro piece-column [u] `(+ base (* ~(* 8 u) (warp-size))))

;; Folds `values` over a row's columns; `make` is of c.
(defmacro fold-eights [wide values make]
  (let [pieces (if wide 4 1)
        named (if (= (count values) 1) (first values) (apply vector values))]
    `(fold [~@(apply concat (map (fn [v] [v `(: 0.0 vector<8xf32>)]) values))]
           [base (* 8 (lane-id)) K (* ~(* 8 pieces) (warp-size))]
       ~@(map (fn [u] `(def ~named (let [c (piece-column ~u)] ~make))) (range pieces))
       ~named)))

;; Stores what `make` makes of c, rounded to F16, up to the end of a row of K8.
(defmacro store-eights [wide p make]
  (let [pieces (if wide 4 1)
        us (range pieces)
        name (fn [u] (symbol (str "eight" u)))]
    `(for [base (* 8 (lane-id)) K8 (* ~(* 8 pieces) (warp-size))]
       ~@(map (fn [u] `(def ~(name u) (let [c (piece-column ~u)] ~make))) us)
       ~@(map (fn [u] `(when (< (piece-column ~u) K8)
                         (llvm.store {:alignment 16} (cast vector<8xf16> ~(name u))
                                     (place 1 f16 ~p (cast i64 (piece-column ~u))))))
              us))))

;; A warp has a row: first those of w, which need not wait for the kernels before.
(defmacro norm-and-round [wide A W]
  (let [of (fn [E m & row] `(load-eight ~wide ~E (: 0.0 f32) c ~m ~@row))
        norm [`(max most (math.absf ~(of W `norm_weight))) `(max offset (math.absf ~(of W `norm_bias)))]
        def-norm-power `(do
                          (def bound (+ (* (math.sqrt (cast f32 K)) (warp-reduce :max (lane-max most)))
                                        (warp-reduce :max (lane-max offset))))
                          (def-power power inverse bound))]
    `(launch {:name ~(symbol (str "norm-and-round-" A "-" W)) :grid [(ceil-div (+ N T) 4)] :block [128]}
       (launch-dependents)
       (when (!= constant_weights (: 1 i64)) (wait-for-predecessors))
       (def row (+ (* 4 (block-id :x)) (warp-id)))
       (when (< row (+ N T))
         (def-made-factors)
         (if (< row N)
           (do
             (def to (place 1 f16 w-address (* (cast i64 row) w-stride)))
             (def [greatest most offset]
               (fold-eights ~wide [greatest most offset] [(max greatest (math.absf ~(of W `w `row))) ~@norm]))
             ~def-norm-power
             (def-power own-power own-inverse (warp-reduce :max (lane-max greatest)))
             (wait-for-predecessors)
             (store-eights ~wide to (* ~(of W `w `row) (spread-eight own-power)))
             (when (= (lane-id) 0)
               (llvm.store {:alignment 4} (* inverse own-inverse) (place 1 f32 scales-address (cast i64 row)))))
           (do
             (def t (- row N))
             (def to (place 1 f16 x-address (* (cast i64 t) x-stride)))
             (def each (/ (: 1.0 f32) (cast f32 K)))
             (wait-for-predecessors)
             (def [total most offset] (fold-eights ~wide [total most offset] [(+ total ~(of A `x `t)) ~@norm]))
             ~def-norm-power
             ; The mean is rounded; the variance and the result are without what it leaves over.
             (def mean (* each (warp-reduce :add (lane-sum total))))
             (def [rests squares]
               (fold-eights ~wide [rests squares]
                 (let [d (- (load-eight ~wide ~A mean c x t) (spread-eight mean))] [(+ rests d) (+ squares (* d d))])))
             (def left (* each (warp-reduce :add (lane-sum rests))))
             (def variance (max (- (* each (warp-reduce :add (lane-sum squares))) (* left left)) (: 0.0 f32)))
             (def scale (math.rsqrt (+ variance epsilon)))
             (store-eights ~wide to
               (let [d (- (- (load-eight ~wide ~A mean c x t) (spread-eight mean)) (spread-eight left))]
                 (* (+ (* (* d (spread-eight scale)) ~(of W `norm_weight)) ~(of W `norm_bias))
                    (spread-eight power))))))))))

(defmacro gpu-norm-product [A W O]
  `(deftemplate nn.norm_product {:for [gpu+wgmma] :attrs [constant_weights] :values [activation]
                                 :groups [normed-product]}
     [(: x ~(rows-of A)) (: norm_weight ~(row-of W)) (: norm_bias ~(row-of W)) (: epsilon f32)
      (: factors ~(row-of `bf16)) (: w ~(rows-of W)) (: bias ~(row-of W)) (: residual ~(rows-of O))
      (: out ~(rows-of O))]
     (def T (memref.dim x 0))
     (def K (memref.dim x 1))
     (def N (memref.dim w 0))
     (def K8 (* 8 (ceil-div K 8)))
     (def has-bias (> (memref.dim bias 0) 0))
     (def has-residual (> (memref.dim residual 0) 0))
     (if (= (: 0 index)
            (+ (% K 8) (misaligned 8 ~A x 0) (misaligned 8 ~A x 1) (misaligned 8 ~W w 0) (misaligned 8 ~W w 1)
               (misaligned 8 ~W norm_weight) (misaligned 8 ~W norm_bias)))
       (norm-and-round true ~A ~W)
       (norm-and-round false ~A ~W))
     (matmul-launch f16 ~O)))
(gpu-norm-product f32 bf16 bf16)

;; floats.lisp - macros that the kernels share: 16 numbers at a time, or 1.
;;
;; Kernels read memory of type f32 or bf16 and compute in f32. `lanes` is 16 (one
;; AVX-512 register, which LLVM splits on other machines) or 1, which turns the body
;; of a vector loop into the body of the scalar remainder loop.
;;
;; Parameters have layout `strided<[?, 1], offset: ?>`: rows may be strided and the
;; memref may be a subview, but the elements of a row are contiguous.

;; For the code of macros: the types of a row and of rows, and an attribute of numbers.
(defmacro row-of [T] `(str "memref<?x" ~T ", strided<[1], offset: ?>>"))
(defmacro rows-of [T] `(str "memref<?x?x" ~T ", strided<[?, 1], offset: ?>>"))
(defmacro i64-array [numbers] `(str "array<i64: " (reduce (fn [text i] (str text ", " i)) ~numbers) ">"))

;; Loads from memory of element type T, converted to f32.
(defmacro load-f32 [lanes T m & indices]
  (if (= lanes 1)
    `(cast f32 (memref.load ~m ~@indices))
    `(cast ~(symbol (str "vector<" lanes "xf32>"))
           (vector.load {:result ~(symbol (str "vector<" lanes "x" T ">"))} ~m ~@indices))))

;; Rounds f32 to T and stores it.
(defmacro store-f32 [lanes T value m & indices]
  (if (= lanes 1)
    `(memref.store (cast ~T ~value) ~m ~@indices)
    `(vector.store (cast ~(symbol (str "vector<" lanes "x" T ">")) ~value) ~m ~@indices)))

;; The sum and the maximum of all lanes. The order of summation is unspecified but
;; deterministic.
(defmacro lane-sum [v]
  `(vector.reduction {:kind "#vector.kind<add>" :fastmath "#arith.fastmath<reassoc>" :result f32} ~v))
(defmacro lane-max [v]
  `(vector.reduction {:kind "#vector.kind<maxnumf>" :result f32} ~v))

;; The horizontal sums of 16 vectors of 16 lanes, in order, as one vector: each round adds halves of pairs of vectors,
;; which halves the number of vectors.
(defmacro lane-sums [vs]
  (let [shuffle (fn [indices a b] `(vector.shuffle {:mask ~(i64-array indices) :result vector<16xf32>} ~a ~b))
        low (fn [h]
              (apply concat
                (map (fn [group]
                       (let [at (* group (* 2 h))]
                         (concat (map (fn [i] (+ at i)) (range h)) (map (fn [i] (+ (+ at i) 16)) (range h)))))
                     (range (/ 16 (* 2 h))))))
        high (fn [h] (map (fn [i] (+ i h)) (low h)))
        pair (fn [h a b]
               (let [x (gensym) y (gensym)]
                 `(let [~x ~a ~y ~b] (+ ~(shuffle (low h) x y) ~(shuffle (high h) x y)))))
        round (fn [h vs] (map (fn [i] (pair h (nth vs i) (nth vs (+ i h)))) (range h)))]
    (nth (round 1 (round 2 (round 4 (round 8 vs)))) 0)))

;; A number of type f32 as a value of type F, f32 or a vector of it.
(defmacro spread [F v] (if (= F `f32) v `(vector.broadcast {:result ~F} ~v)))

;; n rounded down, or up, to a multiple of the literal m.
(defmacro floor-to [m n] `(- ~n (% ~n ~m)))
(defmacro ceil-div [n m] `(/ (- (+ ~n ~m) 1) ~m))

;; Misalignment of m[indices ..., 0], in elements of type T, relative to vectors of `lanes` elements. A GPU needs 0 for
;; a vector access; pointers from outside and rows of any length do not guarantee it.
(defmacro misaligned [lanes T m & indices]
  (let [size (if (= T `f32) 4 2)
        mask `(: ~(- (* lanes size) 1) index)
        rank (+ 1 (count indices))
        sizes (map (fn [i] (gensym)) (range rank))
        strides (map (fn [i] (gensym)) (range rank))
        base (gensym)
        offset (gensym)
        types (concat [(str "memref<" T ">")] (map (fn [i] `index) (range (+ 1 (* 2 rank)))))]
    `(let [~(apply vector (concat [base offset] sizes strides))
           (memref.extract_strided_metadata {:result ~(apply vector types)} ~m)]
       (arith.andi ~mask
         (+ (arith.andi (memref.extract_aligned_pointer_as_index ~m) ~mask)
            (* ~size ~(reduce (fn [sum i] `(+ ~sum (* ~(nth indices i) ~(nth strides i)))) offset
                        (range (count indices)))))))))

;; How many of C columns can be accessed by vectors of `lanes`: C rounded down to a multiple of `lanes`, or 0 if one of
;; the rows, each written [T m row] or [T m], is not aligned.
(defmacro vector-columns [lanes C & rows]
  `(arith.select (= (: 0 index) ~(reduce (fn [a b] `(+ ~a ~b)) (map (fn [row] `(misaligned ~lanes ~@row)) rows)))
                 (floor-to ~lanes ~C) (: 0 index)))

;; Prefetches the cache line of m[indices]. An address beyond the end is
;; harmless.
(defmacro prefetch [m & indices]
  `(memref.prefetch {:isWrite false :localityHint 3 :isDataCache true} ~m ~@indices))

;; Prefetches into the L2 cache, for data that is needed later.
(defmacro prefetch-far [m & indices]
  `(memref.prefetch {:isWrite false :localityHint 2 :isDataCache true} ~m ~@indices))

;; `stack` allocates memory on the stack, aligned to a cache line. with-stack frees at
;; the end of its body, also inside a loop, all that `stack` allocated there. It must be
;; the last form of its block.
(defmacro stack [type & sizes] `(memref.alloca {:alignment 64 :result ~type} ~@sizes))
(defmacro with-stack [name type & body]
  `(memref.alloca_scope
     (region
       (def ~name (stack ~type))
       ~@body
       (memref.alloca_scope.return))))

;; e^x for 16 lanes of x <= 88. Returns 0 below -87: a subnormal number costs some
;; processors a hundred cycles, and no kernel here needs one. As in math.exp, x = n ln(2)
;; + r; n is added to the exponent, as the low mantissa bits of a shifted sum.
(defmacro exp-normal [x]
  (let [of (fn [number] `(: ~number vector<16xf32>))
        r (gensym)]
    `(let [x# ~x
           sum# (vector.fma x# ~(of 1.44269502) ~(of 12582912.0))
           n# (- sum# ~(of 12582912.0))
           ~r (vector.fma n# ~(of 1.90465421e-09) (vector.fma n# ~(of -0.693147182) x#))
           tail# ~(reduce (fn [q c] `(vector.fma ~r ~q ~(of c)))
                          [(of 0.00138358364) 0.00836711843 0.0416677557 0.16666539 0.49999997])
           y# (+ (vector.fma (* ~r ~r) tail# ~r) ~(of 1.0))
           bits# (arith.shli (arith.bitcast {:result vector<16xi32>} sum#) (: 23 vector<16xi32>))]
       (arith.select (< x# ~(of -87.0)) ~(of 0.0)
         (arith.bitcast {:result vector<16xf32>} (+ (arith.bitcast {:result vector<16xi32>} y#) bits#))))))

;; Activations of y, of type F: f32 or a vector of it. y (1 + tanh(u)) / 2 is
;; y / (1 + e^-2u).
(defmacro through-logistic [F y u]
  `(/ ~y (+ (: 1.0 ~F) ~(if (= F `f32) `(math.exp ~u) `(exp-normal (min ~u (: 88.0 ~F)))))))
(defmacro gelu-exponent [F y]
  `(* ~y (+ (: -1.5957691216057308 ~F) (* (: -0.07135481282553622 ~F) (* ~y ~y)))))
(defmacro silu-exponent [F y] `(- ~y))
(defmacro gelu-tanh [F y] `(through-logistic ~F ~y (gelu-exponent ~F ~y)))
(defmacro silu [F y] `(through-logistic ~F ~y (silu-exponent ~F ~y)))
(defmacro relu [F y] `(max ~y (: 0.0 ~F)))
(defmacro rectify [F y] `(arith.select (> ~y (: 0.0 ~F)) ~y (: 0.0 ~F)))

;; Code for each activation of nn.linear; (activations) is the op's list [[number name] ...]. code: a macro of F and y.
;; exponent: a macro for u where the activation is y / (1 + e^u). tile: a macro of y, a tile. smooth: the constants s
;; and r of activations of the form y / (1 + 2^(y (s + r y^2))).
(defmacro activation-codes []
  (quote (quote {:gelu_tanh {:code gelu-tanh :exponent gelu-exponent :tile gelu-of-tile
                             :smooth [-2.302208198 -0.1029432397]}
                 :relu {:code relu :tile relu-of-tile}
                 :rectify {:code rectify :tile rectify-of-tile}
                 :silu {:code silu :exponent silu-exponent :tile silu-of-tile :smooth [-1.442695041 0.0]}})))

;; All but `none` as [number code smooth exponent]. An activation that is missing here is an error at compile time.
(defmacro activation-rows []
  (let [codes (activation-codes)
        row (fn [entry]
              (let [code (get codes (nth entry 1))]
                (if (nil? code) (error (str "the kernels have no code for the activation `" (nth entry 1) "`"))
                  [(nth entry 0) (get code :code) (get code :smooth) (get code :exponent)])))]
    `(quote ~(map row (filter (fn [entry] (not (= (str (nth entry 1)) "none"))) (activations))))))
(defmacro no-activation [] (first (first (filter (fn [entry] (= (str (nth entry 1)) "none")) (activations)))))

;; Applies the attribute `activation` of nn.linear to y, an f32 or a vector of f32. One exponential serves all that need
;; one: `activation` may be known at run time only.
(defmacro activate [F y]
  (let [rows (activation-rows)
        logistic (filter (fn [row] (not (nil? (nth row 3)))) rows)
        others (filter (fn [row] (nil? (nth row 3))) rows)
        is (fn [row] `(= activation ~(nth row 0)))
        choose (fn [rows code otherwise]
                 (reduce (fn [rest row] `(if ~(is row) (~(code row) ~F inactive) ~rest)) otherwise (reverse rows)))
        exponent (fn [row] (nth row 3))]
    `(let [inactive ~y]
       (if (or ~@(map is logistic))
         (through-logistic ~F inactive ~(choose (rest logistic) exponent `(~(exponent (first logistic)) ~F inactive)))
         ~(choose others (fn [row] (nth row 1)) `inactive)))))

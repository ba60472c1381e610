;; gpu-rows.lisp - a warp or a block for a row: nn.layer_norm, nn.argmax, nn.embedding on a GPU
;;
;; Portable: works with warps of 32 and of 64 lanes, and on the simulator. Consecutive lanes access consecutive groups
;; of numbers, so that accesses coalesce to whole cache lines. The second read of a row hits the L1 cache.

(require-macros "gpu-dependent-launch.lisp" "gpu-gemv.lisp")

;; Sums `formula` over a row, distributed over the lanes: 4 numbers at a time with 4 loads in flight, then the
;; remainder one by one. `formula` gets a vector<4xf32> or an f32, and its type. It must map 0 to 0, which is what
;; lanes beyond the end get.
(defmacro row-sum [A m row C formula past]
  (let [us (range 4)
        name (fn [prefix u] (symbol (str prefix "-" u)))]
    `(let [C4 (vector-columns 4 ~C [~A ~m ~row])
           wide (fold [s (: 0.0 vector<4xf32>)] [c (* 4 (lane-id)) C4 (* 16 (warp-size))]
                  ~@(map (fn [u] `(def ~(name "c" u) (+ c (* ~(* 4 u) (warp-size))))) us)
                  ~@(map (fn [u] `(def ~(name "v" u)
                                    (if (< ~(name "c" u) C4) (load-f32 4 ~A ~m ~row ~(name "c" u))
                                      (spread vector<4xf32> ~past)))) us)
                  (+ s ~@(map (fn [u] `(~formula ~(name "v" u) vector<4xf32>)) us)))
           all (fold [s (vector.reduction {:kind "#vector.kind<add>" :result f32} wide)]
                 [c (+ C4 (lane-id)) ~C (warp-size)]
                 (+ s (~formula (load-f32 1 ~A ~m ~row c) f32)))]
       (warp-reduce :add all))))

;; Each warp of the grid processes a row; with wide warps, of which there are fewer, also the following ones.
(defmacro row-warps [] (quotient 128 (warp-lanes)))
(defmacro rows-of-warps [range & body]
  (let [warps `(/ (block-dim :x) (warp-size))]
    `(for [~(nth range 0) (+ (* (block-id :x) ~warps) (warp-id)) ~(nth range 1) (* (grid-dim :x) ~warps)]
       ~@body)))

;; --- nn.layer_norm ----------------------------------------------------------

(defmacro norm-place [A W O lanes F c]
  `(let [d (- (load-f32 ~lanes ~A x row ~c) (spread ~F mean))
         y (* d (spread ~F scale))]
     (store-f32 ~lanes ~O (fma-of ~F y (load-f32 ~lanes ~W weight ~c) (load-f32 ~lanes ~W bias ~c)) out row ~c)))
(defmacro norm-itself [v F] v)
(defmacro norm-square [v F] `(let [d (- ~v (spread ~F mean))] (* d d)))

;; For rows of up to this many chunks of 4 columns per lane: the warp holds the row in registers, and all loads are in
;; flight at once.
(defmacro norm-held [A W O]
  (let [us (range (tuning :norm-held))
        F `vector<4xf32>
        name (fn [prefix u] (symbol (str prefix u)))
        all (fn [prefix] (map (fn [u] (name prefix u)) us))
        each (fn [prefix make] (map (fn [u] `(def ~(name prefix u) ~(make u))) us))
        inside (fn [u value] `(arith.select (< ~(name "c" u) C) ~value (: 0.0 ~F)))]
    `(do
       ~@(each "c" (fn [u] `(* 4 (+ (lane-id) (* ~u (warp-size))))))
       ;; Loads beyond the end are clamped to a valid address, which avoids a branch.
       ~@(each "i" (fn [u] `(min ~(name "c" u) (- C 4))))
       ~@(each "x" (fn [u] (inside u `(load-f32 4 ~A x row ~(name "i" u)))))
       ~@(each "w" (fn [u] `(load-f32 4 ~W weight ~(name "i" u))))
       ~@(each "b" (fn [u] `(load-f32 4 ~W bias ~(name "i" u))))
       (def mean (spread ~F (* each (warp-reduce :add (lane-sum (+ ~@(all "x")))))))
       ~@(each "d" (fn [u] (inside u `(- ~(name "x" u) mean))))
       (def variance (* each (warp-reduce :add (lane-sum (+ ~@(map (fn [u] `(* ~(name "d" u) ~(name "d" u))) us))))))
       (def scale (spread ~F (math.rsqrt (+ variance epsilon))))
       ~@(map (fn [u]
           `(when (< ~(name "c" u) C)
              (store-f32 4 ~O (vector.fma (* ~(name "d" u) scale) ~(name "w" u) ~(name "b" u)) out row ~(name "c" u))))
              us))))

(defmacro norm-any [A W O]
  `(do
     (def mean (* each (row-sum ~A x row C norm-itself (: 0.0 f32))))
     (def variance (* each (row-sum ~A x row C norm-square mean)))
     (def scale (math.rsqrt (+ variance epsilon)))
     (def C4 (vector-columns 4 C [~A x row] [~W weight] [~W bias] [~O out row]))
     (for [c (* 4 (lane-id)) C4 (* 4 (warp-size))] (norm-place ~A ~W ~O 4 vector<4xf32> c))
     (for [c (+ C4 (lane-id)) C (warp-size)] (norm-place ~A ~W ~O 1 f32 c))))

(defmacro norm-row [A W O]
  (let [pieces (tuning :norm-held)]
    (if (= pieces 0) `(norm-any ~A ~W ~O)
      `(if (arith.andi (<= C ~(* 4 (* pieces (warp-lanes)))) (= C (vector-columns 4 C [~A x row] [~W weight] [~W bias]
                                                                                  [~O out row])))
         (norm-held ~A ~W ~O)
         (norm-any ~A ~W ~O)))))

(defmacro gpu-layer-norm [A W O]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.layer_norm {:for [gpu]}
       [(: x ~(rows A)) (: weight ~(row W)) (: bias ~(row W)) (: out ~(rows O)) (: epsilon f32)]
       (def T (memref.dim x 0))
       (def C (memref.dim x 1))
       (launch {:name layer-norm :grid [(ceil-div T (row-warps))] :block [128]}
         (launch-dependents)
         (wait-for-predecessors)
         (def each (/ (: 1.0 f32) (cast f32 C)))
         (rows-of-warps [row T] (norm-row ~A ~W ~O))))))

(gpu-layer-norm f32 bf16 f32)
(gpu-layer-norm f32 bf16 bf16)
(gpu-layer-norm f32 f32 f32)
(gpu-layer-norm bf16 bf16 bf16)

;; --- nn.embedding -----------------------------------------------------------

(defmacro gpu-embedding [W O]
  `(deftemplate nn.embedding {:for [gpu]}
     [(: tokens "memref<?xi32>") (: wte ~(str "memref<?x?x" W ">")) (: wpe ~(str "memref<?x?x" W ">"))
      (: position "memref<1xi32>") (: out ~(str "memref<?x?x" O ">"))]
     (def T (memref.dim tokens 0))
     (def C (memref.dim out 1))
     (launch {:name embedding :grid [T] :block [256]}
       (launch-dependents)
       (wait-for-predecessors)
       (def t (block-id :x))
       (def token (cast index (memref.load tokens t)))
       (def p (+ t (cast index (memref.load position 0))))
       (for [c (thread-id :x) C (block-dim :x)]
         (memref.store (cast ~O (+ (cast f32 (memref.load wte token c)) (cast f32 (memref.load wpe p c)))) out t c)))))

(gpu-embedding bf16 f32)
(gpu-embedding f32 f32)
(gpu-embedding bf16 bf16)

;; --- nn.argmax --------------------------------------------------------------

;; One block, with four loads in flight per thread. A thread scans from left to right and keeps the first index of its
;; maximum; the result is the lowest index among the threads that have the overall maximum. NaNs are never selected.
(defmacro gpu-argmax []
  (let [piece (fn [name u] (symbol (str name "-" u)))
        keep-larger (fn [v i]
          [`(def v ~v)
           `(def more (> v m))
           `(def m (arith.select more v m))
           `(def at (arith.select more (cast i32 ~i) at))])]
    `(deftemplate nn.argmax {:for [gpu]}
       [(: logits "memref<?xf32, strided<[1], offset: ?>>") (: out "memref<1xi32, strided<[1], offset: ?>>")]
       (def V (memref.dim logits 0))
       (launch {:name argmax :grid [1] :block [1024]}
         (launch-dependents)
         (wait-for-predecessors)
         (def V4 (vector-columns 4 V [f32 logits]))
         (def [m at]
           (fold [m (: -inf f32) at (: 0 i32)] [i (* 4 (thread-id :x)) V4 (* 16 (block-dim :x))]
             ~@(map (fn [u] `(def ~(piece "i" u) (+ i (* ~(* 4 u) (block-dim :x))))) (range 4))
             ~@(map (fn [u] `(def ~(piece "four" u)
                               (if (< ~(piece "i" u) V4) (load-f32 4 f32 logits ~(piece "i" u))
                                 (: -inf vector<4xf32>)))) (range 4))
             ~@(apply concat (map (fn [u] (apply concat (map (fn [j]
                 (keep-larger `(vector.extract {:static_position ~(str "array<i64: " j ">")} ~(piece "four" u))
                              `(+ ~(piece "i" u) ~j))) (range 4)))) (range 4)))
             [m at]))
         (def [m at]
           (fold [m m at at] [i (+ V4 (thread-id :x)) V (block-dim :x)]
             ~@(keep-larger `(memref.load logits i) `i)
             [m at]))
         (def most (block-reduce :max m))
         (def first (block-reduce :min (arith.select (= m most) at (cast i32 V))))
         (when (= (thread-id :x) 0)
           (memref.store (arith.select (> most (: -inf f32)) first (: 0 i32)) out 0))))))

(gpu-argmax)

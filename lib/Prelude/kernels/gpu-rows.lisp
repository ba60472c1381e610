;; gpu-rows.lisp - a warp or a block for a row: nn.layer_norm, nn.softmax, nn.argmax, nn.embedding on a GPU
;;
;; No vendor's op: the same text runs on warps of 32 and of 64 lanes, and under the simulator. Lanes take neighbouring
;; groups of numbers, so that a warp reads whole cache lines. A row that is read twice comes from the first-level cache
;; the second time.

;; Adds up over the lanes what each finds in its share of the row, 4 numbers at a time, then one by one.
;; `formula` gets a vector<4xf32>, or an f32, and its type.
(defmacro row-sum [A m row C formula]
  `(let [C4 (vector-columns 4 ~C [~A ~m ~row])
         wide (fold [s (: 0.0 vector<4xf32>)] [c (* 4 (lane-id)) C4 (* 4 (warp-size))]
                (+ s (~formula (load-f32 4 ~A ~m ~row c) vector<4xf32>)))
         all (fold [s (vector.reduction {:kind "#vector.kind<add>" :result f32} wide)] [c (+ C4 (lane-id)) ~C (warp-size)]
               (+ s (~formula (load-f32 1 ~A ~m ~row c) f32)))]
     (warp-reduce :add all)))

;; Each warp of the grid takes a row, and where warps are wide, which makes them few, the next ones too.
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

(defmacro gpu-layer-norm [A W O]
  (let [row (fn [T] (str "memref<?x" T ", strided<[1], offset: ?>>"))
        rows (fn [T] (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>"))]
    `(deftemplate nn.layer_norm {:for [gpu]}
       [(: x ~(rows A)) (: weight ~(row W)) (: bias ~(row W)) (: out ~(rows O)) (: epsilon f32)]
       (def T (memref.dim x 0))
       (def C (memref.dim x 1))
       (launch {:name layer-norm :grid [(ceil-div T 4)] :block [128]}
         (rows-of-warps [row T]
           (def each (/ (: 1.0 f32) (cast f32 C)))
           (def mean (* each (row-sum ~A x row C norm-itself)))
           (def variance (* each (row-sum ~A x row C norm-square)))
           (def scale (math.rsqrt (+ variance epsilon)))
           (def C4 (vector-columns 4 C [~A x row] [~W weight] [~W bias] [~O out row]))
           (for [c (* 4 (lane-id)) C4 (* 4 (warp-size))] (norm-place ~A ~W ~O 4 vector<4xf32> c))
           (for [c (+ C4 (lane-id)) C (warp-size)] (norm-place ~A ~W ~O 1 f32 c)))))))

(gpu-layer-norm f32 bf16 f32)
(gpu-layer-norm f32 bf16 bf16)
(gpu-layer-norm f32 f32 f32)
(gpu-layer-norm bf16 bf16 bf16)

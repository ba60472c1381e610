;; gpu-rows.lisp - a warp or a block for a row: nn.layer_norm, nn.argmax on a GPU
;;
;; Portable: works with warps of 32 and of 64 lanes, and on the simulator.

(require-macros "gpu-dependent-launch.lisp" "gpu-gemv.lisp" "gpu-tensor-core.lisp")

;; --- nn.layer_norm ----------------------------------------------------------

;; Tile programs: a warp has a whole row in registers, or a block reads a long row chunk by chunk, three times. The mean
;; is rounded; the variance and the result are without what it leaves over, so that a row of equal numbers gives 0.
;; `groups`: alone, a generated kernel is as fast. Beside a product of one row with the norm inside, for which the types
;; of gpu-norm-linear.lisp have a kernel, the norm before a product of several rows is this one.
(defmacro gpu-layer-norm [A W O groups]
  (let [parameters `[(: x ~(rows-of A)) (: weight ~(row-of W)) (: bias ~(row-of W)) (: out ~(rows-of O))
                     (: epsilon f32)]
        program (fn [kind] (symbol (str "layer-norm-" kind "-" A "-" W "-" O)))
        ;; Columns past the end are none of the row: their difference from the mean does not count.
        inside (fn [from size value] `(where (< (+ ~from (iota index [~size])) n) ~value 0.0))]
    `(do
       (deftile ~(program "rows") {:const [rows columns] :warps 4} ~parameters
         (def scales (cast f32 (load weight [0] [columns])))
         (def offsets (cast f32 (load bias [0] [columns])))
         (def i (* rows (program-id 0)))
         (def n (memref.dim x 1))
         (def each (/ 1.0 (cast f32 n)))
         (def v (cast f32 (load x [i 0] [rows columns])))
         (def d ~(inside 0 `columns `(- v (* each (sum v :axis 1 :keep true)))))
         (def left (* each (sum d :axis 1 :keep true)))
         (def variance (max (- (* each (sum (* d d) :axis 1 :keep true)) (* left left)) 0.0))
         (def scale (rsqrt (+ variance epsilon)))
         (store (cast ~O (+ (* (- (* d scale) (* left scale)) scales) offsets)) out [i 0]))
       (deftile ~(program "chunks") {:const [chunk] :warps 8} ~parameters
         (def i (program-id 0))
         (def n (memref.dim x 1))
         (def each (/ 1.0 (cast f32 n)))
         (def total (fold [s (zeros f32 [1 chunk])] [j 0 n chunk]
           (+ s (cast f32 (load x [i j] [1 chunk])))))
         (def mean (* each (sum total :axis 1 :keep true)))
         (def [rests squares] (fold [s (zeros f32 [1 chunk]) p (zeros f32 [1 chunk])] [j 0 n chunk]
           (def d ~(inside `j `chunk `(- (cast f32 (load x [i j] [1 chunk])) mean)))
           [(+ s d) (+ p (* d d))]))
         (def left (* each (sum rests :axis 1 :keep true)))
         (def variance (max (- (* each (sum squares :axis 1 :keep true)) (* left left)) 0.0))
         (def scale (rsqrt (+ variance epsilon)))
         (def shift (* left scale))
         (for [j 0 n chunk]
           (def d (- (cast f32 (load x [i j] [1 chunk])) mean))
           (store (cast ~O (+ (* (- (* d scale) shift) (cast f32 (load weight [j] [chunk])))
                              (cast f32 (load bias [j] [chunk]))))
                  out [i j])))
       (deftemplate nn.layer_norm {:for [gpu] :groups ~groups} ~parameters
         (def T (memref.dim x 0))
         (if (<= (memref.dim x 1) 1024)
             (launch ~(program "rows")
               {:grid [(ceil-div T 4)]
                :const {:rows 4 :columns ((if (<= (memref.dim x 1) 768) 768 1024) :among [768 1024])}}
               x weight bias out epsilon)
             (launch ~(program "chunks") {:grid [T] :const {:chunk 2048}} x weight bias out epsilon))))))

(gpu-layer-norm f32 bf16 f32 [layer-norm-before-product])
(gpu-layer-norm f32 bf16 bf16 [layer-norm-before-product])
(gpu-layer-norm f32 f32 f32 [])
(gpu-layer-norm bf16 bf16 bf16 [])

;; --- nn.argmax --------------------------------------------------------------

;; One block, or one cluster of blocks, with four loads in flight per thread. A thread scans from left to right and
;; keeps the first index of its maximum; the result is the lowest index among the threads that have the overall maximum.
;; NaNs are never selected.
(defmacro launch-argmax []
  (let [blocks (tuning :argmax-blocks)
        piece (fn [name u] (symbol (str name "-" u)))
        keep-larger (fn [v i]
          [`(def v ~v)
           `(def more (> v m))
           `(def m (arith.select more v m))
           `(def at (arith.select more (cast i32 ~i) at))])]
    `(launch ~(if (= blocks 1) `{:name argmax :grid [1] :block [1024]}
                `{:name argmax :grid [~blocks] :block [1024] :cluster [~blocks]})
       (launch-dependents)
       (wait-for-predecessors)
       (def thread (+ (thread-id :x) (* (block-id :x) (block-dim :x))))
       (def threads (* ~blocks (block-dim :x)))
       (def V4 (vector-columns 4 V [f32 logits]))
       (def [m at]
         (fold [m (: -inf f32) at (: 0 i32)] [i (* 4 thread) V4 (* 16 threads)]
           ~@(map (fn [u] `(def ~(piece "i" u) (+ i (* ~(* 4 u) threads)))) (range 4))
           ~@(map (fn [u] `(def ~(piece "four" u)
                             (if (< ~(piece "i" u) V4) (load-f32 4 f32 logits ~(piece "i" u))
                               (: -inf vector<4xf32>)))) (range 4))
           ~@(apply concat (map (fn [u] (apply concat (map (fn [j]
               (keep-larger `(vector.extract {:static_position ~(str "array<i64: " j ">")} ~(piece "four" u))
                            `(+ ~(piece "i" u) ~j))) (range 4)))) (range 4)))
           [m at]))
       (def [m at]
         (fold [m m at at] [i (+ V4 thread) V threads]
           ~@(keep-larger `(memref.load logits i) `i)
           [m at]))
       (def most (block-reduce :max m))
       (def first (block-reduce :min (arith.select (= m most) at (cast i32 V))))
       ~(if (= blocks 1) `(argmax-result most first) `(argmax-of-blocks ~blocks)))))

(defmacro argmax-result [most first]
  `(when (= thread 0) (memref.store (arith.select (> ~most (: -inf f32)) ~first (: 0 i32)) out 0)))

;; Each of the first lanes reads the results of one block.
(defmacro argmax-of-blocks [blocks]
  `(do
     (def our-most (shared f32 [1]))
     (def our-first (shared i32 [1]))
     (when (= (thread-id :x) 0)
       (memref.store most our-most 0)
       (memref.store first our-first 0))
     (cluster-barrier)
     (when (< thread (warp-size))
       (def block (cast i32 (% (lane-id) ~blocks)))
       (def m (llvm.load {:alignment 4 :result f32} (shared-of (pointer-to 3 our-most) block)))
       (def at (llvm.load {:alignment 4 :result i32} (shared-of (pointer-to 3 our-first) block)))
       (def whole (warp-reduce :max m))
       (def least (warp-reduce :min (arith.select (= m whole) at (cast i32 V))))
       (argmax-result whole least))
     ;; A block must not exit while another reads its shared memory.
     (cluster-barrier)))

(deftemplate nn.argmax {:for [gpu]}
  [(: logits "memref<?xf32, strided<[1], offset: ?>>") (: out "memref<1xi32, strided<[1], offset: ?>>")]
  (def V (memref.dim logits 0))
  (launch-argmax))

;; gpu-matmul.lisp - macros of `nn.linear` for several tokens, on NVIDIA's tensor cores
;;
;; A block computes a tile of out, `rows` tokens by `columns` outputs, divided equally among `down` by `across` warps.
;; Stages of 64 inputs of x and w are copied asynchronously to shared memory, `stages` of them in flight, and pass
;; through ldmatrix to mma.m16n8k16 (gpu-matmul-hopper.lisp: to wgmma). F32 activations are split into two BF16 terms
;; in registers, which doubles the products. `out` may alias `residual`: each element is read and written by the same
;; thread.
;;
;; Factors of F16 are not x and w, but have been made of these (gpu-norm-product.lisp): rows of `factors`, whose length
;; K8 is a multiple of 8, first those of x, and then a number for each output, by which its sums are multiplied.
;;
;; (matmul-launch A O) captures T K N has-bias has-residual constant_weights and the parameters of a template of
;; nn.linear.

;; Launches the kernel for the fastest of the tiles in tuning.lisp.
(defmacro matmul-launch [A O]
  (let [tiles (if (= (str A) "f32") (tuning :matmul-f32) (tuning :matmul-bf16))
        launch (fn [tile] `(~(symbol (str "matmul-" (nth tile 0) "-tile")) ~A ~O ~@(take 6 (rest tile))))
        cost (fn [tile] `(* (ceil-div (* (ceil-div T ~(nth tile 1)) (ceil-div N ~(nth tile 2)))
                              ~(multiprocessors))
                            (+ ~(nth tile 7) (* ~(nth tile 8) (ceil-div K 64)))))]
    (if (= (count tiles) 1)
      (launch (nth tiles 0))
      `(let [least (min ~@(map cost tiles))]
         ~(reduce (fn [rest tile] `(if (= least ~(cost tile)) ~(launch tile) ~rest))
                  (launch (nth tiles 0)) (rest tiles))))))

;; --- the kernel -------------------------------------------------------------

(defmacro matmul-mma-tile [A O rows columns down across shares stages]
  (let [x-line (if (= (str A) "f32") 256 128)
        stage-bytes (+ (* rows x-line) (* columns 128))]
    `(launch {:name ~(symbol (str "matmul-mma-" A "-" O "-" rows "x" columns))
              :grid [(ceil-div T ~rows) (ceil-div N ~columns)] :block [~(* 32 (* down across))]
              :shared ~(* stages stage-bytes)}
       (matmul-mma-body ~A ~O ~rows ~columns ~down ~across ~stages))))

(defmacro matmul-mma-body [A O rows columns down across stages]
  (let [f32? (= (str A) "f32")
        threads (* 32 (* down across))
        warp-rows (/ rows down)
        warp-columns (/ columns across)
        is (range (/ warp-rows 16))
        js (range (/ warp-columns 8))
        ps (range (/ warp-columns 16))
        steps (range 4)
        x-line (if f32? 256 128)
        x-bytes (* rows x-line)
        stage-bytes (+ x-bytes (* columns 128))
        name (fn [base i] (symbol (str base i)))
        sums (fn [i j] (apply vector (map (fn [e] (symbol (str "sum" i "-" j "-" e))) (range 4))))
        all-sums (apply concat (map (fn [i] (apply concat (map (fn [j] (sums i j)) js))) is))
        words (fn [base i] (apply vector (map (fn [e] (symbol (str base i "-" e))) (range 4))))
        w-words (fn [j] (let [four (words "w" (quotient j 2)) at (* 2 (mod j 2))] [(nth four at) (nth four (+ at 1))]))
        ;; 16 rows of x by 16 inputs; for F32, x holds the high terms and y the low ones.
        def-x (fn [step i]
                (if f32?
                  `(do
                     ~@(map (fn [e]
                         `(do
                            (def-pair one two (place 3 i8 ~(name "x-at" (+ (* 2 step) (quotient e 2)))
                                                          ~(* x-line (+ (* 16 i) (* 8 (mod e 2))))))
                            (def-split ~(nth (words "x" i) e) ~(nth (words "y" i) e) one two)))
                         (range 4)))
                  `(def-matrices ~(words "x" i) row (place 3 i8 ~(name "x-at" step) ~(* i (* 16 x-line))))))
        def-w (fn [step p] `(def-matrices ~(words "w" p) row (place 3 i8 ~(name "w-at" step) ~(* p 2048))))]
    `(do
       (def-matmul-sizes ~A)
       (def shared (shared-memory))
       (begin-copies ~A ~rows ~columns ~threads 1 ~stage-bytes ~(- stages 1))

       ;; Addresses of this lane's part of each fragment.
       (def t (* (/ warp (: ~across i32)) (: ~warp-rows i32)))
       (def n (* (% warp (: ~across i32)) (: ~warp-columns i32)))
       (def lane8 (arith.andi lane (: 7 i32)))
       ~@(if f32?
           [`(def-f32-places)]
           (concat
             [`(def x-row (+ t (arith.andi lane (: 15 i32))))]
             (map (fn [step] `(def ~(name "x-place" step)
                    (chunk-place 8 0 x-row (+ (arith.shrui lane (: 4 i32)) (: ~(* 2 step) i32)))))
                  steps)))
       (def w-row (+ n lane8 (* (arith.shrui lane (: 4 i32)) (: 8 i32))))
       ~@(map (fn [step] `(def ~(name "w-place" step)
            (chunk-place 8 ~x-bytes w-row (+ (arith.andi (arith.shrui lane (: 3 i32)) (: 1 i32)) (: ~(* 2 step) i32)))))
              steps)

       (def zero (: 0.0 f32))
       (def [~@all-sums read write]
         (fold [~@(apply concat (map (fn [s] [s `zero]) all-sums)) read (: 0 i32) write
                (: ~(* (- stages 1) stage-bytes) i32)]
               [block 0 (cast index blocks)]
           (wait-copies ~(- stages 2))
           (barrier)
           (def next (+ (cast i32 block) (: ~(- stages 1) i32)))
           (when (< next blocks)
             (copy-stage ~A ~rows ~columns ~threads 1 (* next (: 64 i32)) write))
           (end-copies)
           ~@(map (fn [i] `(def ~(name "x-at" i) (place 3 i8 shared (+ read ~(name "x-place" i)))))
               (range (if f32? 8 4)))
           ~@(map (fn [i] `(def ~(name "w-at" i) (place 3 i8 shared (+ read ~(name "w-place" i))))) steps)
           ~@(apply concat (map (fn [step]
               (concat
                 (map (fn [i] (def-x step i)) is)
                 (map (fn [p] (def-w step p)) ps)
                 (apply concat (map (fn [i] (map (fn [j]
                   (if f32?
                     `(do (def-products ~(sums i j) ~(words "y" i) ~(w-words j))
                          (def-products ~(sums i j) ~(words "x" i) ~(w-words j)))
                     `(def-products ~(sums i j) ~(words "x" i) ~(w-words j)))) js)) is))))
               steps))
           (def read-next (+ read (: ~stage-bytes i32)))
           (def write-next (+ write (: ~stage-bytes i32)))
           [~@all-sums (arith.select (= read-next (: ~(* stages stage-bytes) i32)) (: 0 i32) read-next)
                       (arith.select (= write-next (: ~(* stages stage-bytes) i32)) (: 0 i32) write-next)]))
       (matmul-begin-finish ~A ~O ~rows ~columns ~threads)
       (matmul-finish ~A ~O ~rows ~columns ~threads 1 ~(map (fn [i] (map (fn [j] (sums i j)) js)) is)))))

;; Addresses of this lane's parts of F32 rows in a stage, in chunks of 8 numbers: x-place0 .. x-place7.
(defmacro def-f32-places []
  `(do
     (def x-row (+ t (arith.shrui lane (: 2 i32))))
     (def x-start (+ (* x-row (: 256 i32)) (* (arith.andi lane (: 3 i32)) (: 8 i32))))
     ~@(map (fn [half]
         `(def ~(symbol (str "x-place" half))
            (+ x-start (* (: 32 i32) (arith.xori (arith.andi x-row (: 3 i32)) (: ~half i32))))))
         (range 8))))

;; Prologue of both kernels: defines sizes and rows, then each thread's share of the copies, and starts the copies of
;; the first stages. Constant weights are copied before the kernel waits for its predecessors.
(defmacro def-matmul-sizes [A]
  `(do
     (def tokens (cast i32 T))
     (def inputs (cast i32 K))
     (def outputs (cast i32 N))
     ~@(if (= (str A) "f16")
         [`(def-made-factors) `(def inputs (cast i32 K8))]
         [`(def-rows x-address x-stride ~A x)
          `(def-rows w-address w-stride bf16 w)])))
(defmacro def-made-factors []
  `(do
     (def-row factors-address bf16 factors)
     (def x-address (place 1 f16 factors-address 0))
     (def x-stride (cast i64 K8))
     (def w-address (place 1 f16 x-address (* (cast i64 T) x-stride)))
     (def w-stride x-stride)
     (def scales-address (place 1 f32 (place 1 f16 w-address (* (cast i64 N) w-stride)) 0))))
;; A stage holds 64 inputs for each of `shares` groups of warps.
(defmacro begin-copies [A rows columns threads shares stage-bytes stages]
  (let [each-stage (fn [& body]
          `(for [stage 0 ~stages]
             (let [k (* (cast i32 stage) (: ~(* 64 shares) i32)) stage (* (cast i32 stage) (: ~stage-bytes i32))]
               ~@body)))
        each-share (fn [copy] `(do ~@(map (fn [share]
                `(let [k (+ k (: ~(* 64 share) i32)) stage (+ stage (: ~(* share (/ stage-bytes shares)) i32))] ~copy))
              (range shares))))]
    `(do
       (launch-dependents)
       (def thread (cast i32 (thread-id :x)))
       (def lane (arith.andi thread (: 31 i32)))
       (def warp (arith.shrui thread (: 5 i32)))
       (def t0 (* (cast i32 (block-id :x)) (: ~rows i32)))
       (def n0 (* (cast i32 (block-id :y)) (: ~columns i32)))
       ~@(if (= (str A) "f16") [`(def in-chunks (: true i1))]
           [`(def in-chunks (arith.andi (= (% inputs (: 8 i32)) (: 0 i32))
                              (arith.andi (rows-in 16 ~A x-address x-stride) (rows-in 16 bf16 w-address w-stride))))])
       (def-copier x ~A ~rows ~threads t0 (- tokens (: 1 i32)) 0)
       (def-copier w bf16 ~columns ~threads n0 (- outputs (: 1 i32)) ~(* rows (if (= (str A) "f32") 256 128)))
       (def blocks (/ (+ inputs (: ~(- (* 64 shares) 1) i32)) (: ~(* 64 shares) i32)))
       (def before-wait ~(if (= (str A) "f16") `(: false i1)
                          `(arith.andi in-chunks (= constant_weights (: 1 i64)))))
       (when before-wait
         ~(each-stage `(when (< k inputs) ~(each-share `(copy-rows w bf16 ~columns ~threads k stage)))))
       (wait-for-predecessors)
       ~(each-stage
          `(when (< k inputs)
             (if before-wait
               ~(each-share `(copy-rows x ~A ~rows ~threads k stage))
               (copy-stage ~A ~rows ~columns ~threads ~shares k stage)))
          `(end-copies)))))

;; --- copies -----------------------------------------------------------------

;; Swizzled address of chunk c of row r, for 8 or 16 chunks per row, relative to `start`. With 16 chunks, pairs are
;; swizzled, because lanes read 8 bytes: the same pair of four rows then covers all banks.
(defmacro chunk-place [chunks start r c]
  `(+ (: ~start i32) (* ~r (: ~(* 16 chunks) i32))
      (* (: 16 i32)
         (arith.xori ~c ~(if (= chunks 16) `(* (arith.andi ~r (: 3 i32)) (: 2 i32)) `(arith.andi ~r (: 7 i32)))))))

;; Defines macros that copy 64 columns of a matrix's rows, from `first` on. Rows beyond the last repeat it; their sums
;; are discarded. Consecutive threads copy consecutive chunks of a row, then the next rows.
(defmacro def-copier [m E rows threads first last start]
  (let [name (fn [base] (symbol (str m base)))
        chunks (if (= (str E) "f32") 16 8)
        each (/ threads chunks)]
    `(do
       (def ~(name "-chunk") (% thread (: ~chunks i32)))
       (def ~(name "-row") (/ thread (: ~chunks i32)))
       ~@(map (fn [pass]
           (let [r (name (str "-row" pass))]
             `(do
                (def ~r (+ ~(name "-row") (: ~(* pass each) i32)))
                (def ~(name (str "-to" pass)) (chunk-place ~chunks ~start ~r ~(name "-chunk")))
                (def ~(name (str "-from" pass))
                  (place 1 ~E ~(name "-address") (* (cast i64 (min (+ ~first ~r) ~last)) ~(name "-stride")))))))
           (range (+ 1 (quotient (- rows 1) each)))))))

;; Starts the copy of columns k .. k + 64; columns beyond the last become 0.
(defmacro copy-rows [m E rows threads k stage]
  (let [name (fn [base] (symbol (str m base)))
        chunks (if (= (str E) "f32") 16 8)
        each (/ threads chunks)]
    `(do
       (def column (+ ~k (* ~(name "-chunk") (: ~(quotient 64 chunks) i32))))
       (def bytes (arith.select (< column inputs) (: 16 i32) (: 0 i32)))
       ~@(map (fn [pass]
           (let [copy `(copy-chunk (place 3 i8 shared (+ ~stage ~(name (str "-to" pass))))
                                   (place 1 ~E ~(name (str "-from" pass)) (cast i64 column)) bytes)]
             (if (<= (* (+ pass 1) each) rows) copy
               `(when (< ~(name (str "-row" pass)) (: ~rows i32)) ~copy))))
           (range (+ 1 (quotient (- rows 1) each)))))))

;; The same one number at a time, for unaligned rows: `count` rows of m from row `first` on.
(defmacro copy-numbers [m E first count start threads k stage]
  (let [chunks (if (= (str E) "f32") 16 8)
        numbers (/ 64 chunks)]
    `(for [i (thread-id :x) (* 64 (cast index ~count)) ~threads]
       (def r (/ (cast i32 i) (: 64 i32)))
       (def c (% (cast i32 i) (: 64 i32)))
       (llvm.store (if (< (+ ~k c) inputs) (memref.load ~m (cast index (+ ~first r)) (cast index (+ ~k c))) (: 0.0 ~E))
         (place 3 ~E (place 3 i8 shared (+ ~stage (chunk-place ~chunks ~start r (/ c (: ~numbers i32)))))
                     (% c (: ~numbers i32)))))))

;; Copies a stage: inputs k .. k + 64 of x and w, and the following 64 for each further share.
(defmacro copy-stage [A rows columns threads shares k stage]
  (let [x-bytes (* rows (if (= (str A) "f32") 256 128))
        share-bytes (+ x-bytes (* columns 128))
        in-chunks `(do
                     (copy-rows x ~A ~rows ~threads k stage)
                     (copy-rows w bf16 ~columns ~threads k stage))]
    `(do
       ~@(map (fn [share]
           `(let [k (+ ~k (: ~(* 64 share) i32)) stage (+ ~stage (: ~(* share share-bytes) i32))]
              ~(if (= (str A) "f16") in-chunks
                 `(if in-chunks
                    ~in-chunks
                    (do
                      (copy-numbers x ~A t0 (min (: ~rows i32) (- tokens t0)) 0 ~threads k stage)
                      (copy-numbers w bf16 n0 (min (: ~columns i32) (- outputs n0)) ~x-bytes ~threads k stage))))))
           (range shares)))))

;; --- epilogue -------------------------------------------------------

;; The smooth activations are y / (1 + 2^(y (s + r y^2))). The activation is a run-time value, so its constants s and r
;; are selected without branches.
(defmacro def-smooth []
  (let [smooth (reverse (filter (fn [row] (not (nil? (nth row 2)))) (activation-rows)))
        number (fn [row i] `(: ~(nth (nth row 2) i) f32))
        choose (fn [i]
                 (reduce (fn [others row] `(arith.select (= activation (: ~(nth row 0) i64)) ~(number row i) ~others))
                         (number (first smooth) i) (rest smooth)))]
    `(do
       (def smooth-s ~(choose 0))
       (def smooth-r ~(choose 1)))))
;; Two numbers at once, with one reciprocal of the product of their denominators. Denominators are clamped to 2^60, so
;; that the product is finite. There the result is y 2^-60, about 0, except for enormous negative y.
(defmacro matmul-smooth-both [y0 y1]
  (let [power (fn [y] `(+ (: 1.0 f32)
                          (fast-exp2 (arith.minnumf (* ~y (+ smooth-s (* smooth-r
                                                                         (arith.minnumf (* ~y ~y) (: 1.0e30 f32)))))
                                                    (: 60.0 f32)))))]
    `(do
       (def a0 ~(power y0))
       (def a1 ~(power y1))
       (def inverse (fast-reciprocal (* a0 a1)))
       [(* ~y0 (* a1 inverse)) (* ~y1 (* a0 inverse))])))

;; Applies the activation to the variables named, of which the count is even.
(defmacro def-activated [names]
  (let [pairs (map (fn [i] [(nth names (* 2 i)) (nth names (+ 1 (* 2 i)))])
                   (range (quotient (count names) 2)))
        each (fn [rest row]
               `(if (= activation (: ~(nth row 0) i64)) (do [~@(map (fn [y] `(~(nth row 1) f32 ~y)) names)]) ~rest))]
    `(def [~@names]
       (if (= activation (: ~(no-activation) i64)) (do [~@names])
         ~(reduce each
            `(do
               ~@(map (fn [pair] `(def [~@pair] (matmul-smooth-both ~@pair))) pairs)
               [~@names])
            (filter (fn [row] (nil? (nth row 2))) (activation-rows)))))))

;; The sums go through shared memory, so that out is written, and residual read, in whole cache lines: a thread handles
;; four columns of rows at a fixed stride. It loads the residuals of one batch of rows while it processes the previous
;; batch; the first loads overlap the last products. Rows that are not aligned to four numbers are accessed one number
;; at a time.
(defmacro matmul-begin-finish [A O rows columns threads]
  (let [O-bytes (if (= (str O) "f32") 4 2)
        groups (quotient columns 4)]
    `(do
       (def-rows out-address out-stride ~O out)
       (def-rows residual-address residual-stride ~O residual)
       (def-row bias-address bf16 bias)
       (def in-fours
         (arith.andi (arith.andi (= (% outputs (: 4 i32)) (: 0 i32)) (rows-in ~(* 4 O-bytes) ~O out-address out-stride))
           (arith.andi (if has-residual (rows-in ~(* 4 O-bytes) ~O residual-address residual-stride) (: 1 i1))
                       (if has-bias (= (arith.andi (llvm.ptrtoint {:result i64} bias-address) (: 7 i64)) (: 0 i64))
                         (: 1 i1)))))
       (def height (min (: ~rows i32) (- tokens t0)))
       (def row (/ thread (: ~groups i32)))
       (def column (+ n0 (* (: 4 i32) (% thread (: ~groups i32)))))
       ;; Loads outside of the matrix are clamped to a valid address.
       (def at (cast i64 (max (: 0 i32) (min column (- outputs (: 4 i32))))))
       (def residual-at (place 1 ~O residual-address (+ at (* (cast i64 t0) residual-stride))))
       (def biases
         (if (arith.andi in-fours has-bias)
           (cast vector<4xf32> (llvm.load {:alignment 8 :result vector<4xbf16>} (place 1 bf16 bias-address at)))
           (: 0.0 vector<4xf32>)))
       ~@(if (= (str A) "f16")
           [`(def scales
               (if in-fours (load-four (place 1 f32 scales-address at)) (: 0.0 vector<4xf32>)))]
           [])
       (def [r0 r1 r2 r3 r4 r5 r6] (matmul-residuals ~O ~(quotient threads groups) row)))))

;; The residuals of seven rows from `first` on.
(defmacro matmul-residuals [O apart first]
  (let [bytes (if (= (str O) "f32") 16 8)
        V (symbol (str "vector<4x" O ">"))]
    `(if (arith.andi in-fours has-residual)
       (do [~@(map (fn [i]
              `(llvm.load {:alignment ~bytes :result ~V}
                 (place 1 ~O residual-at
                   (* (cast i64 (min (+ ~first (: ~(* i apart) i32)) (- height (: 1 i32)))) residual-stride))))
              (range 7))])
       (do [~@(map (fn [_] `(: 0.0 ~V)) (range 7))]))))

;; sums: for each 16 rows and each 8 columns of a warp's part, the names of four sums. Each of `shares` groups of warps
;; has a partial sum of every element; this group's is number `share`.
(defmacro matmul-finish [A O rows columns threads shares sums]
  (let [f32? (= (str O) "f32")
        scaled? (= (str A) "f16")
        groups (quotient columns 4)
        apart (quotient threads groups)
        ;; The row pitch is 32 bytes more than a multiple of 128, so that a warp's pairs cover all banks.
        line (+ columns (mod (- 40 (mod columns 32)) 32))
        is (range (count sums))
        js (range (count (nth sums 0)))
        part (fn [v e] `(vector.extract {:static_position ~(str "array<i64: " e ">")} ~v))
        name (fn [base i] (symbol (str base i)))
        batch (range 7)
        y (fn [i e] (symbol (str "y" i "-" e)))
        all-ys (apply concat (map (fn [i] (map (fn [e] (y i e)) (range 4))) batch))]
    `(do
       (wait-copies 0)
       (barrier)
       (def-smooth)
       (def to (place 3 f32 shared (+ (* (+ t (arith.shrui lane (: 2 i32))) (: ~line i32))
                                      ~@(if (= shares 1) [] [`(* share (: ~(* rows line) i32))])
                                      (+ n (* (: 2 i32) (arith.andi lane (: 3 i32)))))))
       ~@(apply concat (map (fn [i] (apply concat (map (fn [half] (map (fn [j]
           (let [four (nth (nth sums i) j)]
             `(store-pair ~(nth four (* 2 half)) ~(nth four (+ 1 (* 2 half)))
                          (place 3 f32 to ~(+ (* (+ (* 16 i) (* 8 half)) line) (* 8 j))))))
           js)) (range 2)))) is))
       (barrier)
       (if in-fours
         (when (< row (: ~apart i32))
           (def out-at (place 1 ~O out-address (+ at (* (cast i64 t0) out-stride))))
           (def sum-at (place 3 f32 shared (* (: 4 i32) (% thread (: ~groups i32)))))
           (def column-exists (< column outputs))
           (fold [r0 r0 r1 r1 r2 r2 r3 r3 r4 r4 r5 r5 r6 r6] [first (cast index row) (cast index height) ~(* 7 apart)]
             (def first (cast i32 first))
             (def [n0 n1 n2 n3 n4 n5 n6] (matmul-residuals ~O ~apart (+ first (: ~(* 7 apart) i32))))
             ~@(map (fn [i]
                 `(do
                    (def at (place 3 f32 sum-at (* (min (+ first (: ~(* i apart) i32)) (- height (: 1 i32)))
                                                   (: ~line i32))))
                    (def y ~(let [parts (map (fn [share] `(load-four (place 3 f32 at ~(* share (* rows line)))))
                                             (range shares))]
                              (if scaled? `(vector.fma ~(reduce (fn [a b] `(+ ~a ~b)) parts) scales biases)
                                `(+ biases ~@parts))))
                    ~@(map (fn [e] `(def ~(y i e) ~(part `y e))) (range 4))))
                 batch)
             (def-activated [~@all-ys])
             ~@(map (fn [i]
                 `(let [z (+ (vector.from_elements {:result vector<4xf32>} ~@(map (fn [e] (y i e)) (range 4)))
                             ~(if f32? (name "r" i) `(cast vector<4xf32> ~(name "r" i))))
                        r (+ first (: ~(* i apart) i32))]
                    (store-if (arith.andi column-exists (< r height))
                      ~(if f32? [(part `z 0) (part `z 1) (part `z 2) (part `z 3)]
                         [`(pack-bf16 ~(part `z 0) ~(part `z 1)) `(pack-bf16 ~(part `z 2) ~(part `z 3))])
                      (place 1 ~O out-at (* (cast i64 r) out-stride)))))
                 batch)
             [n0 n1 n2 n3 n4 n5 n6]))
         (for [i (thread-id :x) (* ~columns (cast index height)) ~threads]
           (def r (/ (cast i32 i) (: ~columns i32)))
           (def c (% (cast i32 i) (: ~columns i32)))
           (when (< (+ n0 c) outputs)
             (def t (cast index (+ t0 r)))
             (def n (cast index (+ n0 c)))
             (def from (place 3 f32 shared (+ (* r (: ~line i32)) c)))
             (def s (+ ~@(map (fn [share] `(llvm.load {:result f32} (place 3 f32 from ~(* share (* rows line)))))
                           (range shares))))
             ~@(if scaled? [`(def s (* s (llvm.load {:result f32} (place 1 f32 scales-address (cast i64 n)))))] [])
             (def y (if has-bias (+ s (cast f32 (memref.load bias n))) s))
             (def z y)
             (def-activated [y z])
             (memref.store (cast ~O (if has-residual (+ z (cast f32 (memref.load residual t n))) z)) out t n)))))))

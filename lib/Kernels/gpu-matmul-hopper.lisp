;; gpu-matmul-hopper.lisp - macros of gpu-matmul.lisp with wgmma, which an sm_90a has
;;
;; A warpgroup (four warps) multiplies 64 rows of x by up to 256 rows of w from shared memory, asynchronously: the
;; products of one stage are computed while the group waits for the next. For a small tile two groups each compute all
;; sums, over alternate chunks of 64 inputs, and add them at the end: a single group could not overlap its copies,
;; register loads and barriers. F32 rows of x go through registers, where each number is split into two BF16 terms,
;; which doubles the products. Of F16 is what gpu-norm-product.lisp has rounded, both factors.

(defmacro matmul-wgmma-tile [A O rows columns down across shares stages]
  `(launch {:name ~(symbol (str "matmul-wgmma-" A "-" O "-" rows "x" columns))
            :grid [(ceil-div T ~rows) (ceil-div N ~columns)] :block [~(* 128 (* shares (* down across)))]
            :shared ~(+ 1024 (* (* stages shares) (* 128 (+ (* rows (if (= (str A) "f32") 2 1)) columns))))}
     (matmul-wgmma-body ~A ~O ~rows ~columns ~down ~across ~shares ~stages)))

(defmacro matmul-wgmma-body [A O rows columns down across shares stages]
  (let [threads (* 128 (* shares (* down across)))
        group-columns (/ columns across)
        js (range (/ group-columns 8))
        f32? (= (str A) "f32")
        x-bytes (* rows (if f32? 256 128))
        share-bytes (+ x-bytes (* columns 128))
        stage-bytes (* shares share-bytes)
        ahead (- stages 2)
        sums (fn [j] (map (fn [e] (symbol (str "sum" j "-" e))) (range 4)))
        all-sums (apply concat (map sums js))
        name (fn [base i] (symbol (str base i)))
        words (fn [base step] (map (fn [e] (symbol (str base step "-" e))) (range 4)))
        E (if (= (str A) "f16") `f16 `bf16)
        products (fn [step a] `(def-wgmma-of ~E ~group-columns [~@all-sums] ~a (+ w-at (: ~(* 2 step) i64)) 1 0))]
    `(do
       (def-matmul-sizes ~A)
       (def start (shared-address))
       (def shared (llvm.inttoptr {:result !llvm.ptr<3>} start))
       (begin-copies ~A ~rows ~columns ~threads ~shares ~stage-bytes ~ahead)
       ;; This group's share of the inputs, and its position in the tile.
       (def group (arith.shrui warp (: 2 i32)))
       (def share (% group (: ~shares i32)))
       (def share-start (* share (: ~share-bytes i32)))
       (def start (+ start share-start))
       (def group (/ group (: ~shares i32)))
       (def group-t (* (/ group (: ~across i32)) (: 64 i32)))
       (def t (+ group-t (* (arith.andi warp (: 3 i32)) (: 16 i32))))
       (def n (* (% group (: ~across i32)) (: ~group-columns i32)))
       ~@(if f32?
           [`(def-f32-places)]
           [`(def x-start (matrix-description (+ start (* group-t (: 128 i32))) 16))])
       (def w-start (matrix-description (+ (+ start (: ~x-bytes i32)) (* n (: 128 i32))) 16))
       (def zero (: 0.0 f32))
       (def [~@all-sums read write]
         (fold [~@(apply concat (map (fn [s] [s `zero]) all-sums)) read (: 0 i32) write (: ~(* ahead stage-bytes) i32)]
               [block 0 (cast index blocks)]
           (wait-copies ~(- ahead 1))
           (fence-for-wgmma)
           (barrier)
           (def next (+ (cast i32 block) (: ~ahead i32)))
           (when (< next blocks)
             (copy-stage ~A ~rows ~columns ~threads ~shares (* next (: ~(* 64 shares) i32)) write))
           (end-copies)
           (def further (cast i64 (arith.shrui read (: 4 i32))))
           ~@(if f32?
               (map (fn [half] `(def ~(name "x-at" half) (place 3 i8 shared
                                                                (+ share-start read ~(name "x-place" half)))))
                                                                (range 8))
               [`(def x-at (+ x-start further))])
           (def w-at (+ w-start further))
           ~@(if f32?
               ;; Registers that a wgmma reads must not change until it has completed: before a step overwrites its
               ;; registers, it waits for the same step of the previous chunk. Three later wgmma groups may be pending.
               (apply concat (map (fn [step]
                   (concat
                     [`(wait-wgmma 3)]
                     (map (fn [e]
                       `(do
                          (def-pair one two (place 3 i8 ~(name "x-at" (+ (* 2 step) (if (< e 2) 0 1)))
                                              ~(* 2048 (mod e 2))))
                          (def-split ~(nth (words "x" step) e) ~(nth (words "y" step) e) one two)))
                       (range 4))
                     [`(begin-wgmma)
                      (products step (apply vector (words "y" step)))
                      (products step (apply vector (words "x" step)))
                      `(end-wgmma)]))
                   (range 4)))
               (concat
                 [`(begin-wgmma)]
                 (map (fn [step] (products step `(+ x-at (: ~(* 2 step) i64)))) (range 4))
                 [`(end-wgmma)
                  ;; Earlier products have completed: after the next barrier their stage can be overwritten.
                  `(wait-wgmma 1)]))
           (def read-next (+ read (: ~stage-bytes i32)))
           (def write-next (+ write (: ~stage-bytes i32)))
           [~@all-sums (arith.select (= read-next (: ~(* stages stage-bytes) i32)) (: 0 i32) read-next)
                       (arith.select (= write-next (: ~(* stages stage-bytes) i32)) (: 0 i32) write-next)]))
       (matmul-begin-finish ~A ~O ~rows ~columns ~threads)
       (wait-wgmma 0)
       (matmul-finish ~A ~O ~rows ~columns ~threads ~shares [~(map sums js)]))))

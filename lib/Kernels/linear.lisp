;; linear.lisp - nn.linear on a CPU: out = activation(x w^T + bias) + residual
;;
;; One token (T = 1) is memory bound: each thread reads its rows of w once, as one or a few streams (:row-streams of
;; tuning.lisp). Several tokens are an op of linalg, or, where a processor has instructions for pairs or tiles, packed.
;; Sums go through a small buffer on the stack, so that bias, activation and residual are applied 16 at a time, and so
;; that `out` may alias `residual`.

(extern-fn lispier_rt_threads (-> [] [i64]))

;; One step along K. With AVX512-BF16 `dot` multiplies 32 pairs of BF16 at once,
;; otherwise 16 pairs are widened to f32.
(defmacro linear-load [dot T m & indices]
  (if dot
    `(vector.load {:result vector<32xbf16>} ~m ~@indices)
    `(load-f32 16 ~T ~m ~@indices)))
(defmacro linear-step [dot w x sum]
  (if dot
    `(x86vector.avx512.dot {:result vector<16xf32>} ~sum ~w ~x)
    `(vector.fma ~w ~x ~sum)))

;; Epilogue: stores outputs n, n + 1 ... of token t from sums[i, c] on.
(defmacro linear-finish-lanes [lanes W O i c t n]
  (let [F (if (= lanes 1) (symbol "f32") (symbol (str "vector<" lanes "xf32>")))]
    `(do
       (def sum (load-f32 ~lanes f32 sums ~i ~c))
       (def biased (if has-bias (+ sum (load-f32 ~lanes ~W bias ~n)) sum))
       (def active (activate ~F biased))
       (store-f32 ~lanes ~O (if has-residual (+ active (load-f32 ~lanes ~O residual ~t ~n)) active) out ~t ~n))))
;; The same of the first `most` of 16 outputs. With AVX-512's masks this is as fast, and one copy of the code serves the
;; last outputs, too.
(defmacro linear-finish-some [W O i c t n most]
  `(do
     (def sum (load-f32 16 f32 sums ~i ~c))
     (def biased (if has-bias (+ sum (cast vector<16xf32> (load-some 16 ~W bias ~most [~n]))) sum))
     (def active (activate vector<16xf32> biased))
     (def result
       (if has-residual (+ active (cast vector<16xf32> (load-some 16 ~O residual ~most [~t ~n]))) active))
     (store-some 16 ~O result out ~most [~t ~n])))

;; Epilogue: stores outputs n0 .. n0 + count of token t from row i of sums.
(defmacro linear-finish [masks W O i t]
  (if masks
    `(for [c 0 count 16] (linear-finish-some ~W ~O ~i c ~t (+ n0 c) (- count c)))
    `(let [full (floor-to 16 count)]
       (for [c 0 full 16] (linear-finish-lanes 16 ~W ~O ~i c ~t (+ n0 c)))
       (for [c full count] (linear-finish-lanes 1 ~W ~O ~i c ~t (+ n0 c))))))

;; Defines `sums`, by name: of each of the rows of w, its product with x. However many there are, a row's products are
;; added in the same order.
(defmacro linear-row-sums [dot A W sums rows]
  (let [step (if dot 32 16)
        ahead (tuning :row-prefetch)
        parts (range (if (= 1 (tuning :row-streams)) 4 2)) ; Independent sums of a row.
        stride (* (count parts) step)
        indices (range (count rows))
        acc (fn [i u] (symbol (str "part" i "-" u)))
        lanes (fn [i] (symbol (str "lanes" i)))
        x (fn [u] (symbol (str "x" u)))
        each (fn [make] (apply concat (map (fn [i] (map (fn [u] (make i u)) parts)) indices)))
        at (fn [u] `(+ k ~(* u step)))
        load-w (fn [i u] `(linear-load ~dot ~W w ~(nth rows i) ~(at u)))
        total (fn [i] (reduce (fn [sum u] `(+ ~sum ~(acc i u))) (acc i 0) (rest parts)))]
    `(do
       (def ~(apply vector (each acc))
         (fold ~(apply vector (apply concat (each (fn [i u] [(acc i u) `zeros])))) [k 0 KU ~stride]
           ~@(if (= ahead 0) []
               (apply concat
                 (map (fn [row] (map (fn [line] `(prefetch w ~row (+ k ~(+ ahead (* 32 line))))) (range (/ stride 32))))
                   rows)))
           ~@(map (fn [u] `(def ~(x u) (linear-load ~dot ~A x 0 ~(at u)))) parts)
           ~(apply vector (each (fn [i u] `(linear-step ~dot ~(load-w i u) ~(x u) ~(acc i u)))))))
       (def ~(apply vector (map lanes indices))
         (fold ~(apply vector (apply concat (map (fn [i] [(lanes i) (total i)]) indices))) [k KU K1 ~step]
           (def x0 (linear-load ~dot ~A x 0 k))
           ~(apply vector (map (fn [i] `(linear-step ~dot ~(load-w i 0) x0 ~(lanes i))) indices))))
       ~@(map (fn [i]
                `(def ~(nth sums i)
                   (fold [s (lane-sum ~(lanes i))] [k K1 K]
                     (math.fma (load-f32 1 ~W w ~(nth rows i) k) (load-f32 1 ~A x 0 k) s))))
              indices))))

;; One token: a task is 16 rows of w, read one after the other; or, with several streams, more rows, each stream a range
;; of them.
(defmacro linear-most-rows [] 768)
(defmacro linear-row [dot masks A W O]
  (let [streams (range (tuning :row-streams))
        several (> (count streams) 1)
        row (fn [i] (symbol (str "n-" i)))
        sum (fn [i] (symbol (str "sum-" i)))
        put (fn [i] `(memref.store ~(sum i) sums 0 (- ~(row i) n0)))]
    `(do
       (def KU (floor-to ~(* (if several 2 4) (if dot 32 16)) K))
       (def K1 (floor-to ~(if dot 32 16) K))
       (def outputs ~(if several
                       `(max 16 (min (linear-most-rows) (* 16 (ceil-div N (* 32 (cast index (lispier_rt_threads)))))))
                       `(: 16 index)))
       (parallel [block (ceil-div N outputs)]
         (def n0 (* block outputs))
         (def count (min outputs (- N n0)))
         (def span (/ count ~(count streams)))
         (with-stack sums ~(str "memref<1x" (if several (linear-most-rows) 16) "xf32>")
           (for [r 0 span]
             ~@(map (fn [i] `(def ~(row i) (+ n0 r (* ~i span)))) streams)
             (linear-row-sums ~dot ~A ~W ~(map sum streams) ~(map row streams))
             ~@(map put streams))
           ~@(if several
               [`(for [r (* ~(count streams) span) count]
                   (def n-0 (+ n0 r))
                   (linear-row-sums ~dot ~A ~W [sum-0] [n-0])
                   ~(put 0))]
               [])
           (linear-finish ~masks ~W ~O 0 0))))))

;; --- blocks -----------------------------------------------------------------
;;
;; The product is an op of linalg, of which lib/Loops makes tiles, for many tokens of packed copies. It adds to `sums`,
;; which start as the bias. Without an activation behind which a residual is added they are the result's own memory.

;; Stores in row t, from n on, 16 numbers at a time, then one: value is a macro of how many they are, and of n.
(defmacro linear-each-row [T m value]
  `(parallel [t T]
     (def full (floor-to 16 N))
     (for [n 0 full 16] (store-f32 16 ~T (~@value 16 n) ~m t n))
     (for [n full N] (store-f32 1 ~T (~@value 1 n) ~m t n))))

(defmacro linear-zeros [lanes] `(: 0.0 ~(if (= lanes 1) (symbol "f32") (symbol (str "vector<" lanes "xf32>")))))
(defmacro linear-first-sums [W O lanes n]
  `(+ (if has-bias (load-f32 ~lanes ~W bias ~n) (linear-zeros ~lanes))
      (if ends-with-sums (if has-residual (load-f32 ~lanes ~O residual t ~n) (linear-zeros ~lanes))
                         (linear-zeros ~lanes))))
(defmacro linear-last-sums [O lanes n]
  `(let [active (activate ~(if (= lanes 1) (symbol "f32") (symbol (str "vector<" lanes "xf32>")))
                          (load-f32 ~lanes f32 sums t ~n))]
     (if has-residual (+ active (load-f32 ~lanes ~O residual t ~n)) active)))

(defmacro linear-blocks [A W O]
  (let [own `(cast "memref<?x?xf32, strided<[?, 1], offset: ?>>"
               (memref.alloc {:alignment 64 :result memref<?x?xf32>} own-rows N))
        f32-result (= (str O) "f32")]
    `(do
       (def ends-with-sums ~(if f32-result `(= activation ~(no-activation)) `(: false i1)))
       (def is-own ~(if f32-result `(and has-residual (not ends-with-sums)) `(: true i1)))
       (def own-rows (if is-own T (: 0 index)))
       (def own ~own)
       (def sums ~(if f32-result `(if is-own own out) `own))
       (linear-each-row f32 sums [linear-first-sums ~W ~O])
       (linalg.generic
         {:ins 2 :outs 1
          :indexing_maps [affine_map<(m,n,k) -> (m,k)> affine_map<(m,n,k) -> (n,k)> affine_map<(m,n,k) -> (m,n)>]
          :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>"
                           "#linalg.iterator_type<reduction>"]}
         x w sums
         (region (block [(: a ~A) (: b ~W) (: sum f32)]
           (linalg.yield (arith.addf sum (arith.mulf (cast f32 a) (cast f32 b)))))))
       (if ends-with-sums (do) (linear-each-row ~O out [linear-last-sums ~O]))
       (memref.dealloc own))))

;; --- packed (AVX512-BF16) -----------------------------------------------------
;;
;; Many tokens: a task turns 32 rows of w into a panel, each row of which holds one pair of all 32 outputs, and
;; multiplies it by broadcast pairs of x: 12 tokens by 2 vectors of sums, without horizontal sums. A pair of numbers of
;; BF16 is moved as an f32.
;;
;; Numbers of x in F32 are rounded to BF16. This serves only outputs in BF16, and pairs of which a number exceeds
;; (linear-large) times the root mean square of their row still have a second term, x - high, in a list for each token:
;; a few channels of a normalised row are large, and rounding them would cause most of the error. Rounding the others
;; costs an output no more than its own rounding.

(defmacro linear-large [] 2.0)
(defmacro linear-least-packed [] 32)
(defmacro linear-panel-tokens [] 12)

;; pairs[t, ..] = row t of x, zero-padded to Q pairs. For F32: lows[t, 0 .. counts[t]] = the pairs of second terms, and
;; places their indices; counts[t] is even. Magnitudes of BF16 are compared as integers.
(defmacro linear-row-pairs [A terms]
  `(do
     (for [k 0 (* 2 Q) 32]
       (load-pairs ~A x (- K k) [t k])
       (vector.store high pairs t (/ k 2))
       ~@(if terms [`(vector.store low lows t (/ k 2))] []))
     ~@(if terms
         [`(def squares (fold [sum zeros] [k 0 K 16]
             (def v (load-some 16 f32 x (- K k) [t k]))
             (vector.fma v v sum)))
          `(def large (* (: (linear-large) f32) (math.sqrt (/ (lane-sum squares) (cast f32 K)))))
          `(def large-second (arith.andi (arith.bitcast {:result i32} large) (: 0x7fff0000 i32)))
          `(def large-first (arith.shrui large-second (: 16 i32)))
          `(def listed (fold [n (: 0 index)] [q 0 Q]
             (def pair (arith.bitcast {:result i32} (memref.load pairs t q)))
             (memref.store (memref.load lows t q) lows t n)
             (memref.store q places t n)
             (def is-large (or (> (arith.andi pair (: 0x7fff0000 i32)) large-second)
                               (> (arith.andi pair (: 0x7fff i32)) large-first)))
             (+ n (if is-large (: 1 index) (: 0 index)))))
          `(memref.store (: 0.0 f32) lows t listed)
          `(memref.store (: 0 index) places t listed)
          `(memref.store (* 2 (ceil-div listed 2)) counts t)]
         [])))

;; The panel of outputs n0 .. n0 + 32; those beyond the last one repeat it.
(defmacro linear-put-pairs [line r] `(vector.store ~line panel (+ q ~r) half))
(defmacro linear-panel [W]
  `(for [half 0 32 16]
     (for [q 0 Q 16]
       (for [r 0 16]
         (def n (min (+ n0 half r) (- N 1)))
         (load-pairs ~W w (- K (* 2 q)) [n (* 2 q)])
         (vector.store high lines r 0))
       (turn-16 lines 0 0 (linear-put-pairs)))))

;; 16 pairs of row q of the panel, those of half j; a pair of token t, 16 times; and their products, added to `sum`.
(defmacro linear-pair-numbers [v] `(vector.bitcast {:result vector<32xbf16>} ~v))
(defmacro linear-panel-row [q j]
  `(linear-pair-numbers (vector.load {:result vector<16xf32>} panel ~q ~(* 16 j))))
(defmacro linear-spread-pair [m t q]
  `(linear-pair-numbers (vector.broadcast {:result vector<16xf32>} (memref.load ~m ~t ~q))))
(defmacro linear-pair-dot [sum a b] `(x86vector.avx512.dot {:result vector<16xf32>} ~sum ~a ~b))

;; Adds the second terms of some tokens from t on to their sums. A list's pairs with even and with odd indices have sums
;; of their own. One loop over the tokens: compiling a copy for each took as long as all else of this template.
(defmacro linear-add-second-terms []
  `(for [i 0 ~(linear-panel-tokens)]
     (def token (min (+ t i) (- T 1)))
     (def [even0 even1 odd0 odd1]
       (fold [even0 (vector.load {:result vector<16xf32>} sums i 0)
              even1 (vector.load {:result vector<16xf32>} sums i 16)
              odd0 zeros odd1 zeros]
             [n 0 (memref.load counts token) 2]
         ~@(apply concat
             (map (fn [u] [`(def ~(symbol (str "place" u)) (memref.load places token (+ n ~u)))
                           `(def ~(symbol (str "pair" u)) (linear-spread-pair lows token (+ n ~u)))])
               (range 2)))
         [(linear-pair-dot even0 pair0 (linear-panel-row place0 0))
          (linear-pair-dot even1 pair0 (linear-panel-row place0 1))
          (linear-pair-dot odd0 pair1 (linear-panel-row place1 0))
          (linear-pair-dot odd1 pair1 (linear-panel-row place1 1))]))
     (vector.store (+ even0 odd0) sums i 0)
     (vector.store (+ even1 odd1) sums i 16)))

;; sums = the products of some tokens from t on with the panel.
(defmacro linear-panel-sums [terms]
  (let [is (range (linear-panel-tokens))
        js (range 2)
        name (fn [prefix i] (symbol (str prefix i)))
        acc (fn [i j] (symbol (str "a" i "-" j)))
        each (fn [make] (apply concat (map (fn [i] (map (fn [j] (make i j)) js)) is)))
        put-sums (each (fn [i j] `(vector.store ~(acc i j) sums ~i ~(* 16 j))))]
    `(do
       ~@(map (fn [i] `(def ~(name "token" i) (min (+ t ~i) (- T 1)))) is)
       (def ~(apply vector (each acc))
         (fold ~(apply vector (apply concat (each (fn [i j] [(acc i j) `zeros])))) [q 0 Q]
           ~@(map (fn [j] `(def ~(name "row" j) (linear-panel-row q ~j))) js)
           ~@(map (fn [i] `(def ~(name "pair" i) (linear-spread-pair pairs ~(name "token" i) q))) is)
           ~(apply vector (each (fn [i j] `(linear-pair-dot ~(acc i j) ~(name "pair" i) ~(name "row" j)))))))
       ~@put-sums
       ~@(if terms [`(linear-add-second-terms)] []))))

(defmacro linear-packed [A W O]
  (let [terms (= (str A) "f32")
        at-once (linear-panel-tokens)]
    `(do
       (def Q (* 16 (ceil-div K 32)))
       ;; 16 more, so that rows are not apart by a power of two.
       (def pairs (memref.alloc {:result memref<?x?xf32>} T (+ Q 16)))
       ~@(if terms
           [`(def lows (memref.alloc {:result memref<?x?xf32>} T (+ Q 16)))
            `(def places (memref.alloc {:result memref<?x?xindex>} T (+ Q 16)))
            `(def counts (memref.alloc {:result memref<?xindex>} T))]
           [])
       (parallel [t T] (linear-row-pairs ~A ~terms))
       ;; With few outputs the tokens are divided, too.
       (def panels (ceil-div N 32))
       (def parts (ceil-div (* 4 (cast index (lispier_rt_threads))) (max panels 1)))
       (def together (* ~at-once (ceil-div (max 64 (ceil-div T parts)) ~at-once)))
       (parallel [block panels chunk (ceil-div T together)]
         (def n0 (* 32 block))
         (def count (min 32 (- N n0)))
         (def t1 (min T (* together (+ chunk 1))))
         (with-stack sums ~(str "memref<" at-once "x32xf32>")
           (def lines (stack memref<16x16xf32>))
           (def panel (memref.alloc {:alignment 64 :result memref<?x32xf32>} Q))
           (linear-panel ~W)
           (for [t (* together chunk) t1 ~at-once]
             (linear-panel-sums ~terms)
             (for [i 0 (min ~at-once (- t1 t))] (linear-finish true ~W ~O i (+ t i))))
           (memref.dealloc panel)))
       (memref.dealloc pairs)
       ~@(if terms [`(memref.dealloc lows) `(memref.dealloc places) `(memref.dealloc counts)] []))))

;; --- tiles (AMX) ------------------------------------------------------------
;;
;; out^T = w x^T: rows of w are left operands without packing. A task packs groups of 32
;; tokens as right operands, as many as fit in the L2 cache, and multiplies them by 32
;; rows of w at a time: 2 by 2 tiles of sums, 8 instructions for 6 loaded tiles with F32,
;; 4 for 4 with BF16. K is zero-padded.

(defmacro linear-packed-rows [] 12500)

;; Packs 32 tokens of x from t0 on into rows `at` .. of packed: for each 32 inputs the two
;; high tiles, then, for F32, the two low ones. Tokens beyond the last one repeat it.
(defmacro linear-pack [A t0 at]
  `(for [half 0 (if (> T 16) (: 32 index) (: 16 index)) 16]
     (for [k 0 K32 32]
       (store-turned ~A packed (+ ~at half (* k (tile-terms ~A))) 32
         (load-pairs ~A x (- K k) [(min (+ ~t0 half r) (- T 1)) k])))))

;; Computes the sums of 32 outputs and the 32 tokens at `at` of packed, as tiles[output, token].
;; Prefetches `ahead` rows of w from `soon` on.
(defmacro linear-outputs [load i term] `(~@load rows (+ first ~(* 16 i)) k))
(defmacro linear-tokens [load j term] `(~@load packed (+ step ~(+ (* 32 term) (* 16 j))) (: 0 index)))
(defmacro linear-tile-sums [columns A at]
  `(tile-sums "amx" ~columns tiles (: 0 index) [k 0 K32 32] [bf16 ~A] (linear-outputs) (linear-tokens)
     (for [n soon (+ soon ahead)] (prefetch-far w n k))
     (def step (+ ~at (* k (tile-terms ~A))))))

;; Epilogue: stores the outputs of 32 tokens from t0 on.
(defmacro linear-put-sums [line r] `(vector.store ~line sums (+ i ~r) c))
(defmacro linear-finish-tiles [W O]
  (let [bias (fn [c] `(cast vector<16xf32> (load-some 16 ~W bias (if has-bias (- count ~c) (: 0 index)) [(+ n0 ~c)])))
        finish (fn [c biases]
                 `(let [active (activate vector<16xf32> (+ (load-f32 16 f32 sums i ~c) ~biases))
                        before (load-some 16 ~O residual (if has-residual (- count ~c) (: 0 index)) [t (+ n0 ~c)])]
                    (store-some 16 ~O (+ active (cast vector<16xf32> before)) out (- count ~c) [t (+ n0 ~c)])))]
    `(do
       (for [i 0 32 16] (for [c 0 32 16] (turn-16 tiles c i (linear-put-sums))))
       (def bias-left ~(bias 0))
       (def bias-right ~(bias 16))
       (for [i 0 (min 32 (- T t0))]
         (def t (+ t0 i))
         ~(finish 0 `bias-left)
         ~(finish 16 `bias-right)))))

;; padded = w[n0 ..], zero-padded to K32. Rows beyond the last one repeat it.
(defmacro linear-copy-rows []
  `(for [r 0 32]
     (def n (min (+ n0 r) (- N 1)))
     (for [k 0 K32 32] (vector.store (load-some 32 bf16 w (- K k) [n k]) padded r k))))

(defmacro linear-tiles [A W O]
  `(do
     (def K32 (* 32 (ceil-div K 32)))
     (def blocks (ceil-div T 32))
     (def block-rows (* K32 (tile-terms ~A)))
     ;; Each thread packs its own tokens, in as few rounds as its cache allows. With few
     ;; tokens the outputs are divided, too, for an even distribution over threads.
     (def threads (cast index (lispier_rt_threads)))
     (def most (max 1 (/ (linear-packed-rows) (max block-rows 1))))
     (def rounds (ceil-div blocks (* threads most)))
     (def together (max 1 (ceil-div blocks (max 1 (* threads rounds)))))
     (def chunks (ceil-div blocks together))
     (def parts (ceil-div (if (< blocks (* 4 threads)) (* 2 threads) threads) (max chunks 1)))
     (def outputs (max 32 (* 32 (ceil-div N (* 32 parts)))))
     (parallel [chunk chunks part (ceil-div N outputs)]
       (with-stack tiles memref<32x32xf32>
         (def sums (stack memref<32x32xf32>))
         (def lines (stack memref<32x16xf32>))
         (def b0 (* chunk together))
         (def here (min together (- blocks b0)))
         (def packed (memref.alloc {:result memref<?x32xbf16>} (* here block-rows)))
         (for [b 0 here] (linear-pack ~A (* 32 (+ b0 b)) (* b block-rows)))
         (def n9 (min N (* (+ part 1) outputs)))
         ;; Rows of w that do not fill whole tiles are copied and padded.
         (def padded (memref.alloc {:result memref<?x?xbf16>} (if (or (< K K32) (> (% n9 32) 0)) (: 32 index)
                                                                  (: 0 index)) K32))
         (for [n0 (* part outputs) n9 32]
           (def count (min 32 (- N n0)))
           (def whole (and (= K K32) (= count 32)))
           (if whole (do) (linear-copy-rows))
           (def rows (if whole w (cast "memref<?x?xbf16, strided<[?, 1], offset: ?>>" padded)))
           (def first (if whole n0 (: 0 index)))
           ;; Prefetches of the next rows, distributed over the blocks.
           (def ahead (if (< (+ n0 32) n9) (ceil-div 32 here) (: 0 index)))
           (for [b 0 here]
             (def t0 (* 32 (+ b0 b)))
             (def soon (+ n0 32 (* b ahead)))
             (if (> T 16) (linear-tile-sums 2 ~A (* b block-rows)) (linear-tile-sums 1 ~A (* b block-rows)))
             (linear-finish-tiles ~W ~O)))
         (memref.dealloc padded)
         (memref.dealloc packed)))))

;; Defines a template. dot: as for linear-load. many: how many tokens are multiplied, by `tiles` of AMX, by `pairs` of
;; packed x and w, or by an op of linalg (`blocks`). A, W, O: element types of x, of w and bias, of residual and out.
(defmacro linear-template [target dot many A W O]
  (let [blocks `(linear-blocks ~A ~W ~O)
        several (cond
                  (= many "tiles") `(linear-tiles ~A ~W ~O)
                  (= many "pairs") `(if (< T (linear-least-packed)) ~blocks (linear-packed ~A ~W ~O))
                  :else blocks)]
    `(deftemplate nn.linear {:for [~target] :values [activation]
                             ;; Generated kernels are as fast for several tokens with weights of F32.
                             :groups ~(if (= (str W) "f32") `[one-row-product] `[one-row-product product])}
       [(: x ~(rows-of A)) (: w ~(rows-of W)) (: bias ~(row-of W))
        (: residual ~(rows-of O)) (: out ~(rows-of O))]
       (def T (memref.dim x 0))
       (def K (memref.dim x 1))
       (def N (memref.dim w 0))
       (def has-bias (> (memref.dim bias 0) 0))
       (def has-residual (> (memref.dim residual 0) 0))
       (def zeros (: 0.0 vector<16xf32>))
       (if (= T 1) (linear-row ~dot ~(not (= (str target) "cpu")) ~A ~W ~O) ~several))))

;; The first template that fits is selected.
(defmacro linear-templates [A W O]
  `(do (linear-template cpu+avx512f false "blocks" ~A ~W ~O)
       (linear-template cpu false "blocks" ~A ~W ~O)))
(linear-template cpu+avx512-bf16+amx-bf16 true "tiles" bf16 bf16 f32)
(linear-template cpu+avx512-bf16+amx-bf16 true "tiles" bf16 bf16 bf16)
(linear-template cpu+avx512-bf16+amx-bf16 false "tiles" f32 bf16 f32)
(linear-template cpu+avx512-bf16+amx-bf16 false "tiles" f32 bf16 bf16)
(linear-template cpu+avx512-bf16 true "pairs" bf16 bf16 f32)
(linear-template cpu+avx512-bf16 true "pairs" bf16 bf16 bf16)
(linear-template cpu+avx512-bf16 false "pairs" f32 bf16 bf16)
(linear-templates f32 bf16 f32)
(linear-templates bf16 bf16 f32)
(linear-templates bf16 bf16 bf16)
(linear-templates f32 bf16 bf16)
(linear-templates f32 f32 f32)

;; attention-tiles.lisp - macros of attention.lisp: several tokens in tiles, by AMX or AVX512-BF16 (`unit` of tile-sums)
;;
;; A task is a head and some of its blocks of 32 tokens. It packs the head's keys
;; and values once. Scores are k q^T and results v^T weights^T, so that each token
;; has its own lane: the maximum, the sum and the weights need no other lanes, and
;; two interleaved rows of weights form a right operand. Positions are processed
;; 1024 at a time, as in attention.lisp. An F32 factor is split into high + low;
;; low times low is omitted, 2^-16 of the product.

;; packed-keys[p] = the key of position p, zero-padded to D32, high and then low terms; zeros
;; beyond the last position.
(defmacro attention-pack-keys [A]
  `(for [p 0 L32]
     (def row (min p (- L 1)))
     (def D-here (if (< p L) D (: 0 index)))
     (for [d 0 D32 32]
       (load-pairs ~A keys (- D-here d) [g row d])
       (vector.store (vector.bitcast {:result vector<32xbf16>} high) packed-keys p d)
       ~@(if (= (str A) "f32") [`(vector.store (vector.bitcast {:result vector<32xbf16>} low) packed-keys p (+ D32 d))]
           []))))

;; Packs all values as left operands of 16 columns and 32 positions: row
;; (attention-values-row A d p) of packed-values, with the low terms 16 rows further.
(defmacro attention-values-row [A d p] `(* (+ (* ~d (/ L32 32)) (/ ~p 2)) (tile-terms ~A)))
(defmacro attention-value [A p]
  `(load-some 16 ~A values (if (< ~p L) (- D d) (: 0 index)) [g (min ~p (- L 1)) d]))
(defmacro attention-pack-values [A]
  `(for [d 0 D32 16]
     (for [p 0 L32 32]
       (store-turned ~A packed-values (attention-values-row ~A d p) 16
         (def at (+ p (* 2 r)))
         (def even (attention-value ~A at))
         (def odd (attention-value ~A (+ at 1)))
         (weave-pairs ~A even odd)))))

;; Packs the 32 tokens from t0 on as right operands: for each 32 columns of the head two
;; tiles, and two of low terms. Tokens beyond the last one repeat it.
(defmacro attention-pack-queries [A]
  `(for [half 0 32 16]
     (for [d 0 D32 32]
       (store-turned ~A queries (+ half (* d (tile-terms ~A))) 32
         (load-pairs ~A q (- D d) [(min (+ t0 half r) (- T 1)) h d])))))

;; scores[p - p0, token] = k . q for positions p of the block; -inf where the token does
;; not see the position.
(defmacro attention-keys-tile [load i term] `(~@load packed-keys (+ p ~(* 16 i)) (+ d (* ~term D32))))
(defmacro attention-queries-tile [load j term] `(~@load queries (+ step ~(+ (* 32 term) (* 16 j))) (: 0 index)))
(defmacro attention-block-scores [unit A]
  `(do
     (for [p p0 end 32]
       (tile-sums ~unit 2 scores (- p p0) [d 0 D32 32] [~A ~A] (attention-keys-tile) (attention-queries-tile)
         (def step (* d (tile-terms ~A)))))
     ;; Only rows after the first token's last position, and before the last token's first one, need a mask.
     (attention-hide [(max p0 (if (causal?) (min L (+ o t0 1)) L)) end]
       (<= here (if (causal?) (arith.minsi own last-positions) last-positions)))
     (when (has-window?)
       (attention-hide [p0 (min end (max p0 (+ o t0 (- 32 (window-length)))))]
         (> here (- own (vector.broadcast {:result vector<16xi32>} (cast i32 (window-length)))))))))

;; In these rows of scores, keeps those of the tokens for which `seen` holds; here: the row's position, own: the
;; tokens'.
(defmacro attention-hide [rows seen]
  `(for [p ~@rows]
     (for [lane 0 32 16]
       (def here (vector.broadcast {:result vector<16xi32>} (cast i32 p)))
       (def own (+ lane-ids (vector.broadcast {:result vector<16xi32>} (cast i32 (+ o t0 lane)))))
       (store-f32 16 f32 (arith.select ~seen (load-f32 16 f32 scores (- p p0) lane) (: -inf vector<16xf32>))
         scores (- p p0) lane))))

;; weights = e^(scale (scores - largest)) as right operands; updates largest, total and keep
;; (the factor for earlier sums) of the 32 tokens.
(defmacro attention-block-weights [A]
  (let [weight (fn [r] `(exp-normal (- (* scales (load-f32 16 f32 scores ~r lane)) shift)))
        narrow (fn [w] (if (= (str A) "f32") w `(cast vector<16xbf16> ~w)))]
    `(for [lane 0 32 16]
       (def before (load-f32 16 f32 largest lane))
       (def now
         (fold [m before] [r 0 (- end p0)]
           (def s (load-f32 16 f32 scores r lane))
           (arith.select (> s m) s m)))
       (def shift (* scales now))
       (def sum
         (fold [sum zeros] [r 0 (- end p0) 2]
           (def even ~(weight `r))
           (def odd ~(weight `(+ r 1)))
           (weave-pairs ~A ~(narrow `even) ~(narrow `odd))
           (store-pairs ~A weights (+ (* (+ (floor-to 32 r) lane) (tile-terms ~A)) (/ (% r 32) 2)) 0 16)
           (+ sum (+ even odd))))
       (def kept (exp-normal (- (* scales before) shift)))
       (store-f32 16 f32 now largest lane)
       (store-f32 16 f32 kept keep lane)
       (store-f32 16 f32 (vector.fma (load-f32 16 f32 total lane) kept sum) total lane))))

;; sums[d, token] = sums[d, token] keep[token] + weights of the token . v[p0 ..]
(defmacro attention-values-tile [A load i term]
  `(~@load packed-values (+ (attention-values-row ~A (+ d ~(* 16 i)) p) ~(* 16 term)) (: 0 index)))
(defmacro attention-weights-tile [A load j term]
  `(~@load weights (+ (* (+ (- p p0) ~(* 16 j)) (tile-terms ~A)) ~(* 16 term)) (: 0 index)))
(defmacro attention-block-values [unit A]
  `(for [d 0 D32 32]
     (tile-sums ~unit 2 tiles (: 0 index) [p p0 end 32] [~A ~A] (attention-values-tile ~A) (attention-weights-tile ~A))
     (for [lane 0 32 16]
       (def kept (load-f32 16 f32 keep lane))
       (for [r 0 32]
         (store-f32 16 f32 (vector.fma (load-f32 16 f32 sums (+ d r) lane) kept (load-f32 16 f32 tiles r lane)) sums
           (+ d r) lane)))))

;; out[t0 .., h] = sums / total
(defmacro attention-put-line [line r] `(vector.store ~line tiles ~r 0))
(defmacro attention-write [cached A]
  `(do
     (for [lane 0 32 16]
       (attention-write-lanes ~A)
       (store-f32 16 f32
         (fold [odd zeros] [d 0 D] (vector.fma zeros (load-f32 16 f32 sums d lane) odd)) keep lane))
     (for [i 0 (min 32 (- T t0))]
       (when (!= (memref.load keep i) (: 0.0 f32)) ; 0 times what is not finite is NaN.
         (attention-again ~cached ~A (+ t0 i) [sums d i])))))
(defmacro attention-write-lanes [A]
  `(do
     (def share (/ (: 1.0 vector<16xf32>) (load-f32 16 f32 total lane)))
     (for [d 0 D32]
       (store-f32 16 f32 (* share (load-f32 16 f32 sums d lane)) sums d lane))
     (for [d 0 D 16]
       (turn-16 sums d lane (attention-put-line))
       (for [i 0 (min 16 (- T (+ t0 lane)))]
         (store-some 16 ~A (load-f32 16 f32 tiles i 0) out (- D d) [(+ t0 lane i) h d])))))

;; All heads, all tokens; a cache already holds the tokens' own keys and values.
(defmacro attention-tiles [unit cached A]
  `(do
     (def L32 (* 32 (ceil-div L 32)))
     (def last-positions (vector.broadcast {:result vector<16xi32>} (cast i32 (- L 1))))
     (def D32 (* 32 (ceil-div D 32)))
     (def blocks (ceil-div T 32))
     ;; Later tokens attend to more positions: distribute blocks cyclically for balance.
     (def groups (min blocks (ceil-div (* 2 (cast index (lispier_rt_threads))) (max H 1))))
     (def scales (vector.broadcast {:result vector<16xf32>} scale))
     (def lane-ids (arith.constant {:value
                                    "dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>"}))
     (parallel [h H group groups]
       (with-stack scores memref<1024x32xf32>
         (def weights (stack memref<2048x32xbf16>))
         (def tiles (stack memref<32x32xf32>))
         (def largest (stack memref<32xf32>))
         (def total (stack memref<32xf32>))
         (def keep (stack memref<32xf32>))
         (def lines (stack memref<32x16xf32>))
         (def sums (stack memref<?x32xf32> D32))
         (def queries (stack memref<?x32xbf16> (* D32 (tile-terms ~A))))
         (def packed-keys (memref.alloc {:result memref<?x?xbf16>} L32 (* D32 (tile-terms ~A))))
         (def packed-values (memref.alloc {:result memref<?x32xbf16>} (attention-values-row ~A D32 (: 0 index))))
         (def g (/ h sharing))
         (attention-pack-keys ~A)
         (attention-pack-values ~A)
         (for [block group blocks groups]
           (def t0 (* 32 block))
           (attention-pack-queries ~A)
           (for [lane 0 32 16]
             (store-f32 16 f32 (: -1.0e30 vector<16xf32>) largest lane)
             (store-f32 16 f32 zeros total lane)
             (for [d 0 D32] (store-f32 16 f32 zeros sums d lane)))
           (def length (end-of-seen ~cached (- (min T (+ t0 32)) 1)))
           (for [p0 (floor-to 32 (first-seen t0)) length (attention-block)]
             (def end (+ p0 (* 32 (ceil-div (min (attention-block) (- length p0)) 32))))
             (attention-block-scores ~unit ~A)
             (attention-block-weights ~A)
             (attention-block-values ~unit ~A))
           (attention-write ~cached ~A))
         (memref.dealloc packed-keys)
         (memref.dealloc packed-values)))))

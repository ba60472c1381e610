;;; attentions.lisp - times of causal attention forward as a tile program, in BF16.
;;; attentions HEADS TIME SIZE: HEADS is that of all sequences together, SIZE 64 or 128.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./timing.lisp")

; Only the last blocks of keys of a block of queries need the mask. Scores are scaled by log2(e) for exp2.
(defmacro define-attention [name stages warps]
  `(deftile ~name {:const [bm bn d] :warps ~warps :stages ~stages}
       [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>) (: scale f32)]
     (def h (program-id 1))
     (def i (* bm (- (- (num-programs 0) 1) (program-id 0)))) ; The longest first.
     (def queries (load q [h i 0] [bm d]))
     (def [most total sums]
       (fold [most (full f32 [bm 1] -1e30) total (zeros f32 [bm 1]) sums (zeros f32 [bm d])] [j 0 i bn]
         (def s (dot queries (load k [h j 0] [bn d]) :transpose-b true))
         (def next (max most (max s :axis 1 :keep true)))
         (def p (math.exp2 (- (* scale s) (* scale next))))
         (def shrink (math.exp2 (* scale (- most next))))
         [next (+ (* total shrink) (sum p :axis 1 :keep true))
          (dot (cast bf16 p) (load v [h j 0] [bn d]) (* sums shrink))]))
     (def [last-most last-total last-sums]
       (fold [most most total total sums sums] [j i (+ i bm) bn]
         (def seen (<= (+ j (iota index [1 bn] :axis 1)) (+ i (iota index [bm 1] :axis 0))))
         (def s (where seen (dot queries (load k [h j 0] [bn d]) :transpose-b true) -inf))
         (def next (max most (max s :axis 1 :keep true)))
         (def p (math.exp2 (- (* scale s) (* scale next))))
         (def shrink (math.exp2 (* scale (- most next))))
         [next (+ (* total shrink) (sum p :axis 1 :keep true))
          (dot (cast bf16 p) (load v [h j 0] [bn d]) (* sums shrink))]))
     (store (cast bf16 (* last-sums (/ 1.0 last-total))) o [h i 0])))

(define-attention attention-2-4 2 4)
(define-attention attention-3-4 3 4)
(define-attention attention-2-8 2 8)

(defmacro measure [name program bm bn d]
  `(let [us (time-of 20 (launch ~program {:grid [(/ time ~bm) heads] :const {:bm ~bm :bn ~bn :d ~d}} q k v o scale))]
     (println ~(str name ": %.2f us, %.1f TFLOP/s") us
       (/ (* 2.0 (cast f64 heads) (cast f64 time) (cast f64 time) (cast f64 ~d)) (* (: 1e6 f64) us)))))

(defn random-heads [(: heads index) (: time index) (: d index) (: seed index)] -> memref<?x?x?xbf16>
  (def m (device-alloc memref<?x?x?xbf16> [heads time d]))
  (parallel [h heads i time x d] (memref.store (cast bf16 (timing/noise (+ i (* h time)) x seed)) m h i x))
  m)

(defn size [(: count i64) (: words !llvm.ptr) (: index i64)] -> index
  (cast index (options/read-integer (cstring "a size")
    (options/wanted (cstring "attentions HEADS TIME SIZE") (options/word count words index)) (: 1 i64) (: 65536 i64))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def heads (size count words (: 0 i64)))
  (def time (size count words (: 1 i64)))
  (def d (size count words (: 2 i64)))
  (def q (random-heads heads time d 1))
  (def k (random-heads heads time d 2))
  (def v (random-heads heads time d 3))
  (def o (random-heads heads time d 4))
  (def scale (/ 1.4426950408889634 (sqrt (cast f32 d))))
  (if (= d 64)
    (do (measure "64 64, 2 stages, 4 warps" attention-2-4 64 64 64)
        (measure "64 64, 3 stages, 4 warps" attention-3-4 64 64 64)
        (measure "128 64, 2 stages, 8 warps" attention-2-8 128 64 64))
    (do (measure "64 64, 2 stages, 4 warps" attention-2-4 64 64 128)
        (measure "128 64, 2 stages, 8 warps" attention-2-8 128 64 128))))

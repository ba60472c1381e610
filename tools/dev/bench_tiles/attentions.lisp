;;; attentions.lisp - times of causal attention forward as a tile program, in BF16.
;;; attentions HEADS TIME SIZE: HEADS is that of all sequences together, SIZE 64 or 128.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/kernels/device-time.lisp" :as device-time])
(require-macros "../../../examples/kernels/device-time.lisp")

; Only the last blocks of keys of a block of queries need the mask. Scores are scaled by log2(e) for exp2.
(deftile attention {:const [bm bn d] :warps 8 :stages 2
                    :tune {:bm [128 64] :bn [128 64 32] :warps [8 4] :stages [2 3]}}
     [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>)
      (: scale f32)]
   (def h (program-id 1))
   (def i (* bm (- (- (num-programs 0) 1) (program-id 0)))) ; The longest first.
   (def diagonal (* bn (/ i bn)))
   (def queries (load q [h i 0] [bm d]))
   (def [most total sums]
     (fold [most (full f32 [bm 1] -1e30) total (zeros f32 [bm 1]) sums (zeros f32 [bm d])] [j 0 diagonal bn]
       (def s (dot queries (load k [h j 0] [bn d]) :transpose-b true))
       (def next (max most (max s :axis 1 :keep true)))
       (def p (math.exp2 (- (* scale s) (* scale next))))
       (def shrink (math.exp2 (* scale (- most next))))
       [next (+ (* total shrink) (sum p :axis 1 :keep true))
        (dot (cast bf16 p) (load v [h j 0] [bn d]) (* sums shrink))]))
   (def [last-most last-total last-sums]
     (fold [most most total total sums sums] [j diagonal (+ i bm) bn]
       (def seen (<= (+ j (iota index [1 bn] :axis 1)) (+ i (iota index [bm 1] :axis 0))))
       (def s (where seen (dot queries (load k [h j 0] [bn d]) :transpose-b true) -inf))
       (def next (max most (max s :axis 1 :keep true)))
       (def p (math.exp2 (- (* scale s) (* scale next))))
       (def shrink (math.exp2 (* scale (- most next))))
       [next (+ (* total shrink) (sum p :axis 1 :keep true))
        (dot (cast bf16 p) (load v [h j 0] [bn d]) (* sums shrink))]))
   (store (cast bf16 (* last-sums (/ 1.0 last-total))) o [h i 0]))

; The same with the product by values a step late: it runs, as the next scores do, while a softmax is computed.
(deftile late-attention {:const [bm bn d] :warps 8 :stages 2
                         :tune {:bm [128 64] :bn [128 64 32] :warps [8 4] :stages [2 3]}}
     [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>)
      (: scale f32)]
   (def h (program-id 1))
   (def i (* bm (- (- (num-programs 0) 1) (program-id 0))))
   (def diagonal (* bn (/ i bn)))
   (def queries (load q [h i 0] [bm d]))
   (def [most total sums p]
     (fold [most (full f32 [bm 1] -1e30) total (zeros f32 [bm 1]) sums (zeros f32 [bm d]) p (zeros bf16 [bm bn])]
       [j 0 diagonal bn]
       (def s (dot queries (load k [h j 0] [bn d]) :transpose-b true))
       (def so-far (dot p (load v [h (- j bn) 0] [bn d]) sums))
       (def next (max most (max s :axis 1 :keep true)))
       (def e (math.exp2 (- (* scale s) (* scale next))))
       (def shrink (math.exp2 (* scale (- most next))))
       [next (+ (* total shrink) (sum e :axis 1 :keep true)) (* so-far shrink) (cast bf16 e)]))
   (def [last-most last-total last-sums last-p]
     (fold [most most total total sums sums p p] [j diagonal (+ i bm) bn]
       (def seen (<= (+ j (iota index [1 bn] :axis 1)) (+ i (iota index [bm 1] :axis 0))))
       (def s (where seen (dot queries (load k [h j 0] [bn d]) :transpose-b true) -inf))
       (def so-far (dot p (load v [h (- j bn) 0] [bn d]) sums))
       (def next (max most (max s :axis 1 :keep true)))
       (def e (math.exp2 (- (* scale s) (* scale next))))
       (def shrink (math.exp2 (* scale (- most next))))
       [next (+ (* total shrink) (sum e :axis 1 :keep true)) (* so-far shrink) (cast bf16 e)]))
   (def end (+ i bm))
   (def all (fold [sums last-sums] [j (* bn (/ (- end 1) bn)) end bn]
     (dot last-p (load v [h j 0] [bn d]) sums)))
   (store (cast bf16 (* all (/ 1.0 last-total))) o [h i 0]))

; Seeds: measured on an H200 (sm_90a) for both sizes of heads; for other chips what their registers and 99 KB of shared
; memory hold, not measured.
(tuned attention {:const {:bm 64 :bn 32 :warps 4 :stages 2}})
(tuned late-attention {:const {:bm 64 :bn 32 :warps 4 :stages 2}})
(tuned attention {:const {:bm 64 :bn 32 :warps 8 :stages 2} :targets [gfx1100]})
(tuned late-attention {:const {:bm 64 :bn 32 :warps 8 :stages 2} :targets [gfx1100]})
(tuned attention {:const {:bm 64 :bn 64 :warps 4 :stages 2} :targets [sm_90a] :us 53.2})
(tuned late-attention {:const {:bm 64 :bn 64 :warps 4 :stages 2} :targets [sm_90a] :us 57.2})

;; The largest error of a few elements beside plain loops on the device.
(defn error-of [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>)
                (: scale f32)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def heads (memref.dim q 0))
  (def time (memref.dim q 1))
  (def d (memref.dim q 2))
  (parallel [e 256]
    (def h (% (* e 7919) heads))
    (def i (% (+ 3 (* e 104729)) time))
    (def x (% e d))
    (def [total sum] (fold [total (: 0.0 f32) sum (: 0.0 f32)] [j 0 (+ i 1)]
      (def s (fold [s (: 0.0 f32)] [y 0 d] (+ s (* (cast f32 (memref.load q h i y)) (cast f32 (memref.load k h j y))))))
      (def p (math.exp2 (* scale s)))
      [(+ total p) (+ sum (* p (cast f32 (memref.load v h j x))))]))
    (memref.store (abs (- (/ sum total) (cast f32 (memref.load o h i x)))) errors e))
  (timing/largest errors))

(defmacro measure [program d]
  `(let [us (time-of 20 (launch ~program {:grid [(/ (+ time (- bm 1)) bm) heads] :const {:d ~d}} q k v o scale))]
     (println ~(str program ": %.2f us, %.1f TFLOP/s, largest error %.1e") us
       (/ (* 2.0 (cast f64 heads) (cast f64 time) (cast f64 time) (cast f64 ~d)) (* (: 1e6 f64) us))
       (error-of q k v o scale))))

(defn random-heads [(: heads index) (: time index) (: d index) (: seed index)] -> memref<?x?x?xbf16>
  (def m (device-alloc memref<?x?x?xbf16> [heads time d]))
  (parallel [h heads i time x d] (memref.store (cast bf16 (device-time/noise (+ i (* h time)) x seed)) m h i x))
  m)

(defn main [(: count i64) (: words !llvm.ptr)]
  (def heads (timing/size (cstring "attentions HEADS TIME SIZE") count words (: 0 i64)))
  (def time (timing/size (cstring "attentions HEADS TIME SIZE") count words (: 1 i64)))
  (def d (timing/size (cstring "attentions HEADS TIME SIZE") count words (: 2 i64)))
  (def q (random-heads heads time d 1))
  (def k (random-heads heads time d 2))
  (def v (random-heads heads time d 3))
  (def o (random-heads heads time d 4))
  (def scale (/ 1.4426950408889634 (sqrt (cast f32 d))))
  (if (= d 64)
    (do (measure attention 64) (measure late-attention 64))
    (do (measure attention 128) (measure late-attention 128))))

;; gpu-attention-tiles.lisp - macros of `nn.attention` for any tokens, heads, masks and alignments: tile programs
;;
;; New keys and values are first stored in the caches, by a launch of its own. A block then computes `rows` tokens of a
;; head and, of the result, `width` columns. BF16 heads of up to 128 are computed whole; else the scores are computed
;; for each 64 columns of the result, from 64 columns of q and k at a time. Online softmax (Milakov and Gimelshein
;; 2018), by powers of two. Products of F32 numbers are F32.

;; Programs for the element type A: attend-A and attend-wide-A. The last of the positions are those of the
;; `appended` tokens, or 0 if k and v have all; a token sees that many positions `before` and `after` its own;
;; if window_size is not empty, it has one more than the former.
(defmacro attention-programs [A]
  (let [name (fn [base] (symbol (str base "-" A)))
        heads (str "memref<?x?x?x" A ", strided<[?, ?, 1], offset: ?>>")
        integers "memref<?xi32, strided<[1], offset: ?>>"
        attend (fn [program queries scores]
          `(deftile ~(name program) {:const [rows columns width] :warps 4 :stages 2}
             [(: q ~heads) (: k ~heads) (: v ~heads) (: position ~integers) (: window_size ~integers) (: out ~heads)
              (: appended index) (: before index) (: after index) (: scale f32)]
             (def i (* rows (program-id 0)))
             (def h (program-id 1))
             (def column (* width (program-id 2)))
             (def g (/ h (/ (memref.dim q 0) (memref.dim k 0))))
             (def o (if (< 0 (memref.dim position 0)) (cast index (memref.load position 0)) (: 0 index)))
             (def L (if (< 0 appended) (+ o appended) (memref.dim k 1)))
             (def before
               (if (< 0 (memref.dim window_size 0)) (- (cast index (memref.load window_size 0)) 1) before))
             ;; What a cache holds beyond the last position may be no number, and 0 times that is none.
             (def filled (memref.subview v [0 0 0] [(memref.dim v 0) L (memref.dim v 2)] [1 1 1]))
             (def first (* columns (/ (max 0 (- (+ o i) before)) columns)))
             (def end (min L (+ o i rows after)))
             ;; As i32, which take half the registers of an index.
             (def own (+ (cast i32 (+ o i)) (iota i32 [rows 1] :axis 0)))
             (def seen-first (- own (cast i32 before)))
             (def seen-last (min (+ own (cast i32 after)) (cast i32 (- L 1))))
             ~@queries
             (def [most total sums]
               (fold [most (full f32 [rows 1] -1e30) total (zeros f32 [rows 1]) sums (zeros f32 [rows width])]
                     [j first end columns]
                 (def place (+ (cast i32 j) (iota i32 [columns])))
                 (def s (where (and (<= seen-first place) (<= place seen-last)) (* scale ~scores) -inf))
                 (def next (max most (max s :axis 1 :keep true)))
                 (def p (math.exp2 (- s next)))
                 (def shrink (math.exp2 (- most next)))
                 [next
                  (+ (* total shrink) (sum p :axis 1 :keep true))
                  (dot (cast ~A p) (load filled [g j column] [columns width]) (* sums shrink))]))
             (def result (* sums (/ 1.0 total)))
             ;; A token's product multiplies what it does not see by 0, which is NaN where that is infinite or NaN.
             ;; Such a result is computed again, a position at a time, from what each token sees.
             (def odd (and (not (< (abs result) inf)) (< own (cast i32 (+ o (memref.dim q 1))))))
             (def finite
               (if (< 0 (max (cast i32 odd)))
                   (do
                     (def [most total sums]
                       (fold [most (full f32 [rows 1] -1e30) total (zeros f32 [rows 1]) sums (zeros f32 [rows width])]
                             [j first end]
                         (def place (cast i32 j))
                         (def score
                           (fold [s (zeros f32 [rows 1])] [d 0 (memref.dim q 2) columns]
                             (+ s (sum (* (cast f32 (load q [h i d] [rows columns]))
                                          (cast f32 (load k [g j d] [1 columns])))
                                       :axis 1 :keep true))))
                         (def seen (and (<= seen-first place) (<= place seen-last)))
                         (def s (where seen (* scale score) -inf))
                         (def next (max most s))
                         (def p (math.exp2 (- s next)))
                         (def shrink (math.exp2 (- most next)))
                         (def seen-sums (* p (cast f32 (load v [g j column] [1 width]))))
                         [next (+ (* total shrink) p) (+ (* sums shrink) (where seen seen-sums 0.0))]))
                     (* sums (/ 1.0 total)))
                   result))
             (store (cast ~A finite) out [h i column])))]
    `(do
       ~(attend "attend" [`(def queries (load q [h i 0] [rows width]))]
          `(dot queries (load k [g j 0] [columns width]) :transpose-b true))
       ~(attend "attend-wide" []
          `(fold [s (zeros f32 [rows columns])] [d 0 (memref.dim q 2) width]
             (dot (load q [h i d] [rows width]) (load k [g j d] [columns width]) s :transpose-b true))))))

;; whole: whether BF16 heads of more than 64 and up to 128 have a program of their own.
(defmacro attend-tiles [cached A whole]
  (let [name (fn [base] (symbol (str base "-" A)))
        f32? (= (str A) "f32")
        size (if f32? (tuning :attend-tiles-f32) (tuning :attend-tiles-bf16))
        rows (first size)
        attend (fn [program width]
          `(launch ~(name program) {:grid [(ceil-div T ~rows) H (ceil-div D ~width)]
                                    :const {:rows ~rows :columns ~(nth size 1) :width ~width}}
             heads-of-q keys values position window_size heads-of-out ~(if cached `T `(: 0 index)) before after
             (* scale 1.4426950408889634)))]
    `(do
       (def unlimited (: 1000000000 index))
       (def before (if (> window 0) (- (cast index window) 1) unlimited))
       (def after (if (causal?) (: 0 index) unlimited))
       (def heads-of-q (heads-of-rows ~A q))
       (def heads-of-out (heads-of-rows ~A out))
       (def keys ~(if cached `key_cache `(heads-of-rows ~A k)))
       (def values ~(if cached `value_cache `(heads-of-rows ~A v)))
       ~@(if cached
           [`(parallel [t T g G d D]
               (def place (+ (cast index (memref.load position 0)) t))
               (memref.store (memref.load k t g d) key_cache g place d)
               (memref.store (memref.load v t g d) value_cache g place d))]
           [])
       ~(if (and whole (not f32?))
          `(if (arith.andi (> D 64) (<= D 128)) ~(attend "attend" 128) ~(attend "attend-wide" 64))
          (attend "attend-wide" 64)))))

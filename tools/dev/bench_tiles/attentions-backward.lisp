;;; attentions-backward.lisp - times of the gradients of causal attention as tile programs, in BF16.
;;; attentions-backward HEADS TIME: HEADS is that of all sequences together, of size 64.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./timing.lisp")

; The programs of examples/tiles.
; p = exp(s - lse), 0 where a row does not see a column or lies past the end; ds = p (dp - delta).
(defn probability [s lse row column time]
  (where (and (<= column row) (< row time)) (exp (- s lse)) 0.0))

(deftile attention-dq {:const [bm bn d] :warps 4 :stages 2}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dq memref<?x?x?xf32>) (: scale f32)]
  (def i (* bm (program-id 0)))
  (def h (program-id 1))
  (def time (memref.dim q 1))
  (def row (+ i (iota index [bm 1] :axis 0)))
  (def queries (load q [h i 0] [bm d]))
  (def gradient (load do [h i 0] [bm d]))
  (def logs (reshape (load lse [h i] [bm]) [bm 1]))
  (def means (reshape (load delta [h i] [bm]) [bm 1]))
  (def sums (fold [sums (zeros f32 [bm d])] [j 0 (min time (+ i bm)) bn]
    (def keys (load k [h j 0] [bn d]))
    (def s (* scale (dot queries keys :transpose-b true)))
    (def p (probability s logs row (+ j (iota index [bn])) time))
    (def ds (* p (- (dot gradient (load v [h j 0] [bn d]) :transpose-b true) means)))
    (dot (cast bf16 ds) keys sums)))
  (store (* scale sums) dq [h i 0]))

(deftile attention-dk-dv {:const [bm bn d] :warps 4 :stages 2}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dk memref<?x?x?xf32>) (: dv memref<?x?x?xf32>) (: scale f32)]
  (def j (* bn (program-id 0)))
  (def h (program-id 1))
  (def time (memref.dim q 1))
  (def column (+ j (iota index [bn])))
  (def keys (load k [h j 0] [bn d]))
  (def values (load v [h j 0] [bn d]))
  (def [dks dvs] (fold [dks (zeros f32 [bn d]) dvs (zeros f32 [bn d])] [i (* bm (/ j bm)) time bm]
    (def queries (load q [h i 0] [bm d]))
    (def gradient (load do [h i 0] [bm d]))
    (def s (* scale (dot queries keys :transpose-b true)))
    (def logs (reshape (load lse [h i] [bm]) [bm 1]))
    (def p (probability s logs (+ i (iota index [bm 1] :axis 0)) column time))
    (def ds (* p (- (dot gradient values :transpose-b true) (reshape (load delta [h i] [bm]) [bm 1]))))
    [(dot (transpose (cast bf16 ds)) queries dks) (dot (transpose (cast bf16 p)) gradient dvs)]))
  (store (* scale dks) dk [h j 0])
  (store dvs dv [h j 0]))

(defn random-heads [(: heads index) (: time index) (: seed index)] -> memref<?x?x?xbf16>
  (def m (device-alloc memref<?x?x?xbf16> [heads time (: 64 index)]))
  (parallel [h heads i time x 64] (memref.store (cast bf16 (timing/noise (+ i (* h time)) x seed)) m h i x))
  m)

(defn sums [(: heads index) (: time index)] -> memref<?x?x?xf32>
  (device-alloc memref<?x?x?xf32> [heads time (: 64 index)]))

(defn product [(: a memref<?x?x?xbf16>) (: b memref<?x?x?xbf16>) (: h index) (: i index) (: j index)] -> f32
  (fold [s (: 0.0 f32)] [x 0 64] (+ s (* (cast f32 (memref.load a h i x)) (cast f32 (memref.load b h j x))))))

;; The largest error of a few elements of dq and dv beside plain loops on the device.
(defn error-of [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
                (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dq memref<?x?x?xf32>) (: dv memref<?x?x?xf32>)
                (: scale f32)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def heads (memref.dim q 0))
  (def time (memref.dim q 1))
  (parallel [e 256]
    (def h (% (* e 7919) heads))
    (def i (% (+ 3 (* e 104729)) time))
    (def x (% e 64))
    (def of-query (* scale (fold [s (: 0.0 f32)] [j 0 (+ i 1)]
      (def p (math.exp (- (* scale (product q k h i j)) (memref.load lse h i))))
      (+ s (* p (- (product do v h i j) (memref.load delta h i)) (cast f32 (memref.load k h j x)))))))
    (def of-value (fold [s (: 0.0 f32)] [r i time]
      (+ s (* (math.exp (- (* scale (product q k h r i)) (memref.load lse h r))) (cast f32 (memref.load do h r x))))))
    (memref.store (max (abs (- of-query (memref.load dq h i x))) (abs (- of-value (memref.load dv h i x)))) errors e))
  (def host (memref.alloc {:result memref<256xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 256] (max worst (memref.load host e))))

(defn size [(: count i64) (: words !llvm.ptr) (: index i64)] -> index
  (cast index (options/read-integer (cstring "a size")
    (options/wanted (cstring "attentions-backward HEADS TIME") (options/word count words index)) (: 1 i64)
    (: 65536 i64))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def heads (size count words (: 0 i64)))
  (def time (size count words (: 1 i64)))
  (def q (random-heads heads time 1))
  (def k (random-heads heads time 2))
  (def v (random-heads heads time 3))
  (def do (random-heads heads time 4))
  ; What the log of the sum and delta may be: rows have some hundred scores about 0.
  (def lse (timing/random-f32 heads time 5))
  (def delta (timing/random-f32 heads time 6))
  (parallel [h heads i time] (memref.store 6.0 lse h i))
  (def dq (sums heads time))
  (def dk (sums heads time))
  (def dv (sums heads time))
  (def scale (: 0.125 f32))
  (def of-queries (time-of 20
    (launch attention-dq {:grid [(/ time 64) heads] :const {:bm 64 :bn 64 :d 64}} q k v do lse delta dq scale)))
  (def of-keys (time-of 20
    (launch attention-dk-dv {:grid [(/ time 64) heads] :const {:bm 64 :bn 64 :d 64}} q k v do lse delta dk dv scale)))
  (println "dq %.2f us, dk and dv %.2f us, together %.2f us, largest error %.1e"
    of-queries of-keys (+ of-queries of-keys)
    (error-of q k v do lse delta dq dv scale)))

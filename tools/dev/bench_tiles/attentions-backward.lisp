;;; attentions-backward.lisp - times of the gradients of causal attention in BF16, by the programs of examples/tiles.
;;; attentions-backward HEADS TIME: HEADS is that of all sequences together, of size 64.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/kernels/device-time.lisp" :as device-time]
         ["../../../examples/tiles/attention-gradients.lisp" :as gradients])
(require-macros "../../../examples/kernels/device-time.lisp")

(defn random-heads [(: heads index) (: time index) (: seed index)] -> memref<?x?x?xbf16>
  (def m (device-alloc memref<?x?x?xbf16> [heads time (: 64 index)]))
  (parallel [h heads i time x 64] (memref.store (cast bf16 (device-time/noise (+ i (* h time)) x seed)) m h i x))
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
  (timing/largest errors))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def heads (timing/size (cstring "attentions-backward HEADS TIME") count words (: 0 i64)))
  (def time (timing/size (cstring "attentions-backward HEADS TIME") count words (: 1 i64)))
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
    (launch gradients/attention-dq {:grid [(/ (+ time (- bm 1)) bm) heads] :const {:d 64}}
      q k v do lse delta dq scale)))
  (def of-keys (time-of 20
    (launch gradients/attention-dk-dv {:grid [(/ (+ time (- bn 1)) bn) heads] :const {:d 64}}
      q k v do lse delta dk dv scale)))
  (println "dq: %.2f us" of-queries)
  (println "dk and dv: %.2f us" of-keys)
  (println "backward: %.2f us, largest error %.1e"
    (+ of-queries of-keys) (error-of q k v do lse delta dq dv scale)))

;;; product.lisp - what the steps of this folder compute: c = a b. a: [M K] and b: [K N] in BF16, c: [M N] in F32, in
;;; which products are added.
;;;
;;; It takes 2 M N K operations. The time is measured at 4096 x 4096 x 4096: 137 GFLOP, which an H200 could do in 0.14
;;; ms with tensor cores (989 TFLOP/s), and in 2.1 ms without (67).
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder] ["../device-time.lisp" :as device-time])
(require-macros "../ladder.lisp")

(defn rounded [(: rows index) (: columns index) (: seed index)] -> memref<?x?xbf16>
  (def m (device-alloc memref<?x?xbf16> [rows columns]))
  (parallel [i rows j columns] (memref.store (cast bf16 (device-time/noise i j seed)) m i j))
  m)

(defn rounded-on-host [(: m memref<?x?xbf16>)] -> memref<?x?xbf16>
  (def h (memref.alloc {:result memref<?x?xbf16>} (memref.dim m 0) (memref.dim m 1)))
  (download! h m)
  h)

(defn reference [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>)] -> memref<?x?xf32>
  (def c (memref.alloc {:result memref<?x?xf32>} (memref.dim a 0) (memref.dim b 1)))
  (for [i 0 (memref.dim c 0)] (for [j 0 (memref.dim c 1)]
    (def s (fold [s (: 0.0 f64)] [k 0 (memref.dim a 1)]
      (+ s (* (cast f64 (memref.load a i k)) (cast f64 (memref.load b k j))))))
    (memref.store (cast f32 s) c i j)))
  c)

;; (step a b c) launches the kernel. 90 terms below 1, each sum rounded by 2^-24 of itself.
(defmacro define-product [step]
  `(define-main
     (let [a (rounded 70 90 1) b (rounded 90 52 2) c (ladder/matrix 70 52 3)]
       (~step a b c)
       (ladder/compare c (reference (rounded-on-host a) (rounded-on-host b)) 2e-5))
     (let [a (rounded 4096 4096 1) b (rounded 4096 4096 2) c (ladder/matrix 4096 4096 3)]
       (print-time 10 (~step a b c)))))

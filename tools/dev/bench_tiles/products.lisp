;;; products.lisp - times of BF16 products c = a b^T as tile programs, and with a bias and GELU inside; and their
;;; largest errors. products M N K: prints a line `name microseconds error` for each configuration.
(require-dialect memref gpu llvm)
(require ["./timing.lisp" :as timing])
(require-macros "../../../examples/kernels/device-time.lisp")

(defmacro define-product [name stages warps]
  `(deftile ~name {:const [bm bn bk epilogue] :stages ~stages :warps ~warps}
       [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xbf16>)]
     (def [i j] (timing/block-origin c bm bn))
     (def sums (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
       (dot (load a [i k] [bm bk]) (transpose (load b [j k] [bn bk])) acc)))
     (store (cast bf16 (if (= epilogue 1) (gelu (+ sums (load bias [j] [bn]))) sums)) c [i j])))

(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))

(define-product product-4-4 4 4)
(define-product product-3-8 3 8)
(define-product product-4-8 4 8)

;; The largest error of a few elements beside plain loops on the device, relative to what is added to a sum.
(defn error-of [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xbf16>)
                (: with-gelu i1)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def rows (memref.dim c 0))
  (def columns (memref.dim c 1))
  (parallel [e 256]
    (def i (% (+ 3 (* e 7919)) rows))
    (def j (% (+ 5 (* e 104729)) columns))
    (def s (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)]
      (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b j k))))))
    (def exact (if with-gelu (gelu (+ s (memref.load bias j))) s))
    (memref.store (/ (abs (- exact (cast f32 (memref.load c i j)))) (+ 1.0 (abs exact))) errors e))
  (timing/largest errors))

(defmacro measure [name program bm bn bk epilogue]
  `(do
     (let [time (time-of 50 (launch ~program {:grid [(* (timing/blocks n ~bn) (timing/blocks m ~bm))]
                                               :const {:bm ~bm :bn ~bn :bk ~bk :epilogue ~epilogue}} a b bias c))]
       (println ~(str name ": %.2f us, largest error %.1e") time (error-of a b bias c (= ~epilogue 1))))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def m (timing/size (cstring "products M N K") count words (: 0 i64)))
  (def n (timing/size (cstring "products M N K") count words (: 1 i64)))
  (def depth (timing/size (cstring "products M N K") count words (: 2 i64)))
  (def a (timing/random-bf16 m depth 1))
  (def b (timing/random-bf16 n depth 2))
  (def bias (timing/flat (timing/random-f32 1 n 3)))
  (def c (timing/random-bf16 m n 4))
  (measure "128 128 64, 3 stages, 8 warps" product-3-8 128 128 64 0)
  (measure "128 128 64, 4 stages, 8 warps" product-4-8 128 128 64 0)
  (measure "128 256 64, 3 stages, 8 warps" product-3-8 128 256 64 0)
  (measure "128 256 64, 4 stages, 8 warps" product-4-8 128 256 64 0)
  (measure "256 128 64, 4 stages, 8 warps" product-4-8 256 128 64 0)
  (measure "128 192 64, 4 stages, 8 warps" product-4-8 128 192 64 0)
  (measure "64 96 64, 4 stages, 4 warps" product-4-4 64 96 64 0)
  (measure "with bias and GELU: 128 192 64, 4 stages, 8 warps" product-4-8 128 192 64 1)
  (measure "with bias and GELU: 128 192 64, 3 stages, 8 warps" product-3-8 128 192 64 1)
  (measure "with bias and GELU: 128 128 64, 3 stages, 8 warps" product-3-8 128 128 64 1)
  (measure "with bias and GELU: 64 96 64, 4 stages, 4 warps" product-4-4 64 96 64 1))

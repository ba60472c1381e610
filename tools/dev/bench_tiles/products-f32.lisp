;;; products-f32.lisp - times of F32 products c = a b as tile programs, by precision, and their largest errors.
;;; products-f32 M N K: prints a line `name: microseconds, teraflops, error` for each configuration. An error is
;;; relative to the sum of the magnitudes of an element's products.
(require-dialect memref gpu llvm)
(require ["./timing.lisp" :as timing])
(require-macros "../../../examples/kernels/device-time.lisp")

(defmacro define-product [name precision stages warps]
  `(deftile ~name {:const [bm bn bk] :stages ~stages :warps ~warps}
       [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)]
     (def [i j] (timing/block-origin c bm bn))
     (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
              (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc :precision ~precision))
            c [i j])))

(define-product exact-2-4 f32 2 4)
(define-product bf16x3-3-4 bf16x3 3 4)
(define-product tf32x3-3-4 tf32x3 3 4)
(define-product tf32-3-8 tf32 3 8)

;; Numbers that fill a float's digits.
(defn random [(: rows index) (: columns index) (: seed index)] -> memref<?x?xf32>
  (def m (timing/random-f32 rows columns seed))
  (parallel [i rows j columns] (memref.store (/ (memref.load m i j) 1.7) m i j))
  m)

;; Sums of a few elements, in plain loops on the device.
(defn error-of [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def rows (memref.dim c 0))
  (def columns (memref.dim c 1))
  (parallel [e 256]
    (def i (% (+ 3 (* e 7919)) rows))
    (def j (% (+ 5 (* e 104729)) columns))
    (def [s t] (fold [s (: 0.0 f64) t (: 0.0 f64)] [k 0 (memref.dim a 1)]
      (def p (* (cast f64 (memref.load a i k)) (cast f64 (memref.load b k j))))
      [(+ s p) (+ t (abs p))]))
    (memref.store (cast f32 (/ (abs (- s (cast f64 (memref.load c i j)))) t)) errors e))
  (timing/largest errors))

(defmacro measure [name program bm bn bk]
  `(do
     (let [time (time-of 10 (launch ~program {:grid [(* (timing/blocks n ~bn) (timing/blocks m ~bm))] :const
                                              {:bm ~bm :bn ~bn :bk ~bk}} a b c))]
       (println ~(str name " " bm " " bn " " bk ": %.2f us, %.1f TFLOP/s, largest error %.1e") time
                (/ (* 2e-6 (cast f64 m) (cast f64 n) (cast f64 depth)) time) (error-of a b c)))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def m (timing/size (cstring "products-f32 M N K") count words (: 0 i64)))
  (def n (timing/size (cstring "products-f32 M N K") count words (: 1 i64)))
  (def depth (timing/size (cstring "products-f32 M N K") count words (: 2 i64)))
  (def a (random m depth 1))
  (def b (random depth n 2))
  (def c (device-alloc memref<?x?xf32> [m n]))
  (measure "f32, 2 stages, 4 warps," exact-2-4 128 64 16)
  (measure "bf16x3, 3 stages, 4 warps," bf16x3-3-4 128 128 16)
  (measure "tf32x3, 3 stages, 4 warps," tf32x3-3-4 128 128 16)
  (measure "tf32, 3 stages, 8 warps," tf32-3-8 128 128 32))

;;; products.lisp - times of BF16 products c = a b^T as tile programs, and their largest errors.
;;; products M N K: prints a line `name microseconds error` for each configuration.
(require-dialect memref gpu llvm)
(require ["./timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./timing.lisp")

(defmacro define-product [name stages warps]
  `(deftile ~name {:const [bm bn bk] :stages ~stages :warps ~warps}
       [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
     ; Blocks of eight rows of blocks, column by column: what runs at the same time reads the same rows and columns.
     (def rows (/ (+ (memref.dim c 0) (- bm 1)) bm))
     (def columns (/ (+ (memref.dim c 1) (- bn 1)) bn))
     (def first (* 8 (/ (program-id 0) (* 8 columns))))
     (def high (min 8 (- rows first)))
     (def within (% (program-id 0) (* 8 columns)))
     (def i (* bm (+ first (% within high))))
     (def j (* bn (/ within high)))
     (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
              (dot (load a [i k] [bm bk]) (transpose (load b [j k] [bn bk])) acc))
            c [i j])))

(define-product product-3-4 3 4)
(define-product product-3-8 3 8)
(define-product product-4-4 4 4)
(define-product product-5-4 5 4)
(define-product product-4-8 4 8)

(defn blocks [(: n index) (: size index)] -> index (/ (+ n (- size 1)) size))

;; Sums of a few elements, in plain loops on the device.
(defn error-of [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def rows (memref.dim c 0))
  (def columns (memref.dim c 1))
  (parallel [e 256]
    (def i (% (+ 3 (* e 7919)) rows))
    (def j (% (+ 5 (* e 104729)) columns))
    (def s (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)]
      (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b j k))))))
    (memref.store (abs (- s (memref.load c i j))) errors e))
  (def host (memref.alloc {:result memref<256xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 256] (max worst (memref.load host e))))

(defmacro measure [name program bm bn bk]
  `(do
     (let [time (time-of 20 (launch ~program {:grid [(* (blocks n ~bn) (blocks m ~bm))] :const {:bm ~bm :bn ~bn :bk ~bk}} a b c))]
       (println ~(str name ": %.2f us, largest error %.1e") time (error-of a b c)))))

(defn size [(: count i64) (: words !llvm.ptr) (: index i64)] -> index
  (cast index (options/read-integer (cstring "a size") (options/wanted (cstring "products M N K") (options/word count words index)) (: 1 i64) (: 65536 i64))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def m (size count words (: 0 i64)))
  (def n (size count words (: 1 i64)))
  (def depth (size count words (: 2 i64)))
  (def a (timing/random-bf16 m depth 1))
  (def b (timing/random-bf16 n depth 2))
  (def c (device-alloc memref<?x?xf32> [m n]))
  (measure "64 64 64, 3 stages, 4 warps" product-3-4 64 64 64)
  (measure "128 128 32, 3 stages, 4 warps" product-3-4 128 128 32)
  (measure "128 128 32, 4 stages, 4 warps" product-4-4 128 128 32)
  (measure "128 128 64, 3 stages, 8 warps" product-3-8 128 128 64)
  (measure "128 128 64, 4 stages, 8 warps" product-4-8 128 128 64)
  (measure "128 128 64, 4 stages, 4 warps" product-4-4 128 128 64)
  (measure "128 256 64, 3 stages, 8 warps" product-3-8 128 256 64)
  (measure "128 256 64, 4 stages, 8 warps" product-4-8 128 256 64)
  (measure "128 128 32, 5 stages, 4 warps" product-5-4 128 128 32))

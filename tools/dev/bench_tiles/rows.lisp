;;; rows.lisp - times of row kernels and elementwise kernels as tile programs, in F32.
;;; Prints lines `name: microseconds us, GB/s`, where the bytes are those that must be read and written once.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./timing.lisp")

; The programs of examples/tiles.
(deftile softmax-row {:const [columns] :warps 2} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (* e (/ 1.0 (sum e :axis 1 :keep true))) y [row 0]))

(deftile softmax-long-row {:const [columns] :warps 8} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (* e (/ 1.0 (sum e :axis 1 :keep true))) y [row 0]))

; The next chunk is read while this one is summed; a lane sums its own numbers. Five chunks of 10,240 have few lanes
; without numbers: seven of 8,192 take up to 6 % more time.
(deftile softmax-chunks {:const [chunk] :warps 16} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 1] -1e30) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)]
      [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def scale (/ 1.0 (sum total :axis 1 :keep true)))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (store (* (exp (- v most)) scale) y [row j])
    after))

(deftile layer-norm {:const [rows columns] :warps 4}
    [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def i (* rows (program-id 0)))
  (def n (memref.dim x 1))
  (def size (cast f32 n))
  (def v (load x [i 0] [rows columns]))
  (def mean (/ (sum v :axis 1 :keep true) size))
  (def d (where (< (iota index [columns]) n) (- v mean) 0.0))
  (def variance (/ (sum (* d d) :axis 1 :keep true) size))
  (store (+ (* d (rsqrt (+ variance 1e-5)) (load weight [0] [columns])) (load bias [0] [columns])) y [i 0]))

(deftile transposed {:const [bm bn]} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (transpose (load x [i j] [bm bn])) y [j i]))

(deftile copy {:const [size] :warps 8} [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def i (* size (program-id 0)))
  (store (load x [i] [size]) y [i]))

(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))

(deftile gelu-tiles {:const [size] :warps 8} [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def i (* size (program-id 0)))
  (store (gelu (load x [i] [size])) y [i]))

(deftile add {:const [size] :warps 8} [(: a memref<?xf32>) (: b memref<?xf32>) (: y memref<?xf32>)]
  (def i (* size (program-id 0)))
  (store (+ (load a [i] [size]) (load b [i] [size])) y [i]))

(deftile narrow {:const [size] :warps 8} [(: x memref<?xf32>) (: y memref<?xbf16>)]
  (def i (* size (program-id 0)))
  (store (cast bf16 (load x [i] [size])) y [i]))

(defn flat [(: m memref<?x?xf32>)] -> memref<?xf32>
  (memref.collapse_shape {:reassociation [[0 1]] :result memref<?xf32>} m))

;; (measure "name" bytes body ...)
(defmacro measure [name bytes & body]
  `(let [time (time-of 20 ~@body)]
     (println ~(str name ": %.2f us, %.0f GB/s") time (/ (cast f64 ~bytes) (* 1e3 time)))))

(defmacro measure-softmax [rows columns body]
  `(let [x (timing/random-f32 ~rows ~columns 1) y (timing/random-f32 ~rows ~columns 2)]
     (measure ~(str "softmax " rows "x" columns) (* 8 ~rows ~columns) ~body)
     (device-free! x)
     (device-free! y)))

(defn main []
  (measure-softmax 1823 781 (launch softmax-row {:grid [1823] :const {:columns 1024}} x y))
  (measure-softmax 65536 768 (launch softmax-row {:grid [65536] :const {:columns 1024}} x y))
  (measure-softmax 8192 8192 (launch softmax-long-row {:grid [8192] :const {:columns 8192}} x y))
  (measure-softmax 8192 50257 (launch softmax-chunks {:grid [8192] :const {:chunk 10240}} x y))
  (measure-softmax 8192 50304 (launch softmax-chunks {:grid [8192] :const {:chunk 10240}} x y))
  (def x (timing/random-f32 65536 768 1))
  (def y (timing/random-f32 65536 768 2))
  (def weight (flat (timing/random-f32 1 768 3)))
  (def bias (flat (timing/random-f32 1 768 4)))
  (measure "layer norm 65536x768" (* 8 65536 768)
    (launch layer-norm {:grid [16384] :const {:rows 4 :columns 1024}} x weight bias y))
  (def large (flat (timing/random-f32 8192 50257 1)))
  (def other (flat (timing/random-f32 8192 50257 2)))
  (def result (flat (timing/random-f32 8192 50257 3)))
  (def n (memref.dim large 0))
  (def blocks (/ (+ n 4095) 4096))
  (measure "copy 8192x50257" (* 8 n) (launch copy {:grid [blocks] :const {:size 4096}} large result))
  (measure "GELU 8192x50257" (* 8 n) (launch gelu-tiles {:grid [blocks] :const {:size 4096}} large result))
  (measure "add 8192x50257" (* 12 n) (launch add {:grid [blocks] :const {:size 4096}} large other result))
  (def a (timing/random-f32 16384 16384 1))
  (def b (timing/random-f32 16384 16384 2))
  (measure "transpose 16384x16384" (* 8 16384 16384) (launch transposed {:grid [256 256] :const {:bm 64 :bn 64}} a b)))

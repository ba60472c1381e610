;;; rows.lisp - times of row kernels and elementwise kernels as tile programs, in F32.
;;; Prints lines `name: microseconds us, GB/s`, where the bytes are those that must be read and written once.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/tiles/row-tiles.lisp" :as row-tiles])
(require-macros "../../../examples/kernels/device-time.lisp")

;; The program of examples/tiles/softmax.lisp with fewer warps.
(deftile softmax-row {:const [columns] :warps 2 :tune {:warps [2 1 4 8]}}
  [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (* e (/ 1.0 (sum e :axis 1 :keep true))) y [row 0]))

(deftile softmax-long-row {:const [columns] :warps 8 :tune {:warps [8 4 16]}}
  [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (* e (/ 1.0 (sum e :axis 1 :keep true))) y [row 0]))

; Seeds: measured on an H200 (sm_90a); for other chips the same but where their warps are of 64 lanes, not measured.
(tuned softmax-row {:const {:warps 2}})
(tuned softmax-row {:const {:warps 4} :targets [sm_90a] :sizes [1823 781 1823 781] :us 6.6})
(tuned softmax-row {:const {:warps 2} :targets [sm_90a] :sizes [65536 768 65536 768] :us 97.3})
(tuned softmax-row {:const {:warps 1} :targets [gfx942]})
(tuned softmax-long-row {:const {:warps 8}})
(tuned softmax-long-row {:const {:warps 4} :targets [gfx942]})

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
  (measure-softmax 8192 50257 (launch row-tiles/softmax-chunks {:grid [8192]} x y))
  (measure-softmax 8192 50304 (launch row-tiles/softmax-chunks {:grid [8192]} x y))
  (def x (timing/random-f32 65536 768 1))
  (def y (timing/random-f32 65536 768 2))
  (def weight (timing/flat (timing/random-f32 1 768 3)))
  (def bias (timing/flat (timing/random-f32 1 768 4)))
  (measure "layer norm 65536x768" (* 8 65536 768)
    (launch row-tiles/layer-norm {:grid [(/ 65536 rows)] :const {:columns 1024}} x weight bias y))
  (def large (timing/flat (timing/random-f32 8192 50257 1)))
  (def other (timing/flat (timing/random-f32 8192 50257 2)))
  (def result (timing/flat (timing/random-f32 8192 50257 3)))
  (def n (memref.dim large 0))
  (def blocks (/ (+ n 4095) 4096))
  (measure "copy 8192x50257" (* 8 n) (launch copy {:grid [blocks] :const {:size 4096}} large result))
  (measure "GELU 8192x50257" (* 8 n) (launch gelu-tiles {:grid [blocks] :const {:size 4096}} large result))
  (def halves (device-alloc memref<?xbf16> [n]))
  (measure "cast 8192x50257" (* 6 n) (launch narrow {:grid [blocks] :const {:size 4096}} large halves))
  (device-free! halves)
  (measure "add 8192x50257" (* 12 n) (launch add {:grid [blocks] :const {:size 4096}} large other result))
  (def a (timing/random-f32 16384 16384 1))
  (def b (timing/random-f32 16384 16384 2))
  (measure "transpose 16384x16384" (* 8 16384 16384) (launch transposed {:grid [256 256] :const {:bm 64 :bn 64}} a b)))

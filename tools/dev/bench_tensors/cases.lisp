;;; cases.lisp - shared by the programs of tools/dev/bench-tensors: how formulas are timed and their results checked.
(require-dialect memref gpu)
(require ["../bench_tiles/timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "../../../examples/kernels/device-time.lisp")

;; (on DEVICE case ...): the cases of one kind of machine, "gpu" or "cpu". Both are compiled; the first argument of
;; the program says which are run.
(defmacro on [device & cases] `(when (options/same-text wanted (cstring ~device)) ~@cases))

;; (with-tensors [[name element rows columns seed] ...] body ...): memrefs of random numbers, of sizes that are known
;; while compiling.
(defmacro with-tensors [names & body]
  (if (empty? names)
      `(do ~@body)
      (let [[name element rows columns seed] (first names)
            type (str "memref<" rows "x" columns "x" element ">")]
        `(let [any# (~(symbol (str "timing/random-" element)) ~rows ~columns ~seed)
               ~name (memref.cast {:result ~type} any#)]
           (with-tensors ~(rest names) ~@body)
           (device-free! any#)))))

(defmacro any-size [element m] `(memref.cast {:result ~(str "memref<?x?x" element ">")} ~m))

;; (measure NAME REPETITIONS expression target): computes the expression into the memref `target`, again and again.
;; (measure-do NAME REPETITIONS body): executes the body, which stores its results itself.
(defmacro measure [name repetitions expression target]
  `(measure-do ~name ~repetitions (store ~expression ~target)))
(defmacro measure-do [name repetitions body]
  `(let [time# (time-of ~repetitions ~body)]
     (println ~(str name ": %.2f us") time#)))

(deftile copy-tile {:const [size] :warps 8} [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def i (* size (program-id 0)))
  (store (load x [i] [size]) y [i]))

;; What elementwise formulas are compared with on a GPU; written as a tile program, which does nothing else.
(defmacro copy-case [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 ~rows ~columns 2]]
     (let [from (timing/flat (any-size f32 x)) to (timing/flat (any-size f32 y))]
       (println ~(str "copy " rows "x" columns ": %.2f us")
                (time-of 20 (launch copy-tile {:grid [(/ (+ (memref.dim to 0) 4095) 4096)] :const {:size 4096}}
                                    from to))))))

(defn worst-of [(: errors memref<?xf32>)] -> f32
  (def host (memref.alloc {:result memref<?xf32>} (memref.dim errors 0)))
  (download! host errors)
  (def worst (fold [w (: 0.0 f32)] [e 0 (memref.dim errors 0)] (max w (memref.load host e))))
  (memref.dealloc host)
  worst)

;; The difference of two numbers: relative, or absolute where the first is less than 1.
(defn difference [(: wanted f32) (: made f32)] -> f32 (/ (abs (- wanted made)) (max 1.0 (abs wanted))))

;; (largest-error [e i ROWS j COLUMNS] body ...): prints the largest of 256 errors, each the value of the body for a
;; place i, j among so many rows and columns.
(defmacro largest-error [[e i rows j columns] & body]
  `(let [errors# (device-alloc memref<?xf32> [(: 256 index)])]
     (parallel [~e 256]
       (def ~i (% (+ 3 (* ~e 7919)) ~rows))
       (def ~j (% (+ 5 (* ~e 104729)) ~columns))
       (def error# (do ~@body))
       (memref.store error# errors# ~e))
     (println "  largest relative error %.1e" (worst-of errors#))
     (device-free! errors#)))

;; The largest relative error of some elements of c = a b^T, beside sums of f32 in plain loops, less that of rounding
;; a number to BF16, 2^-8.
(defn product-error [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 256 index)]))
  (def rows (memref.dim c 0))
  (def columns (memref.dim c 1))
  (parallel [e 256]
    (def i (% (+ 3 (* e 7919)) rows))
    (def j (% (+ 5 (* e 104729)) columns))
    (def s (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)]
      (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b j k))))))
    (def error (abs (- s (cast f32 (memref.load c i j)))))
    (memref.store (/ (max 0.0 (- error (/ (abs s) 256.0))) (max 1.0 (abs s))) errors e))
  (def worst (worst-of errors))
  (device-free! errors)
  worst)

;; The largest relative error of some rows of y = softmax x.
(defn softmax-error [(: x memref<?x?xf32>) (: y memref<?x?xf32>)] -> f32
  (def errors (device-alloc memref<?xf32> [(: 64 index)]))
  (def columns (memref.dim y 1))
  (parallel [e 64]
    (def i (% (* e 127) (memref.dim y 0)))
    (def most (fold [m (: -1e30 f32)] [j 0 columns] (max m (memref.load x i j))))
    (def total (fold [s (: 0.0 f32)] [j 0 columns] (+ s (exp (- (memref.load x i j) most)))))
    (memref.store (fold [w (: 0.0 f32)] [j 0 columns]
                    (max w (abs (- 1.0 (/ (/ (exp (- (memref.load x i j) most)) total) (memref.load y i j))))))
                  errors e))
  (def worst (worst-of errors))
  (device-free! errors)
  worst)

;; The same of y = silu(x gate^T) (x up^T), relative to the two sums.
(defmacro def-gated-error [element]
  (let [type (symbol (str "memref<?x?x" element ">"))]
    `(defn ~(symbol (str "gated-error-" element)) [(: x ~type) (: gate ~type) (: up ~type) (: y memref<?x?xf32>)] -> f32
       (def errors (device-alloc memref<?xf32> [(: 256 index)]))
       (parallel [e 256]
         (def i (% (+ 3 (* e 7919)) (memref.dim y 0)))
         (def j (% (+ 5 (* e 104729)) (memref.dim y 1)))
         (def [g u] (fold [g (: 0.0 f32) u (: 0.0 f32)] [k 0 (memref.dim x 1)]
           (def a (cast f32 (memref.load x i k)))
           [(+ g (* a (cast f32 (memref.load gate j k)))) (+ u (* a (cast f32 (memref.load up j k))))]))
         (def error (abs (- (* (/ g (+ 1.0 (exp (- g)))) u) (memref.load y i j))))
         (memref.store (/ error (* (+ 1.0 (abs g)) (+ 1.0 (abs u)))) errors e))
       (def worst (worst-of errors))
       (device-free! errors)
       worst)))
(def-gated-error bf16)
(def-gated-error f32)

;; The relative error of the sum of all elements of x, beside sums of rows in F64.
(defn total-error [(: x memref<?x?xf32>) (: y memref<?x?xf32>)] -> f32
  (def sums (device-alloc memref<?xf32> [(memref.dim x 0)]))
  (def host (memref.alloc {:result memref<?xf32>} (memref.dim x 0)))
  (parallel [i (memref.dim x 0)]
    (memref.store (cast f32 (fold [s (: 0.0 f64)] [j 0 (memref.dim x 1)]
                              (+ s (cast f64 (memref.load x i j))))) sums i))
  (download! host sums)
  (def total (fold [s (: 0.0 f64)] [i 0 (memref.dim x 0)] (+ s (cast f64 (memref.load host i)))))
  (def size (fold [s (: 0.0 f64)] [i 0 (memref.dim x 0)] (+ s (abs (cast f64 (memref.load host i))))))
  (def made (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 1 index)))
  (download! made y)
  (def error (/ (abs (- total (cast f64 (memref.load made (: 0 index) (: 0 index))))) size))
  (memref.dealloc made)
  (memref.dealloc host)
  (device-free! sums)
  (cast f32 error))

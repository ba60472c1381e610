;;; rows.lisp - times of row kernels and elementwise kernels as tile programs, in F32.
;;; Prints lines `name: microseconds us, GB/s`, where the bytes are those that must be read and written once.
(require-dialect memref gpu llvm math)
(require ["./timing.lisp" :as timing] ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./timing.lisp")


(defmacro define-chunks [name warps]
 `(deftile ~name {:const [chunk] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total]
    (fold [most (full f32 [1 1] -inf) total (zeros f32 [1 1])] [j 0 n chunk]
      (def v (load x [row j] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (sum (exp (- v next)) :axis 1 :keep true))]))
  (for [j 0 n chunk]
    (def v (load x [row j] [1 chunk] :else -inf))
    (store (/ (exp (- v most)) total) y [row j]))))
(defmacro define-vchunks [name warps]
 `(deftile ~name {:const [chunk] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total]
    (fold [most (full f32 [1 chunk] -1e30) total (zeros f32 [1 chunk])] [j 0 n chunk]
      (def v (load x [row j] [1 chunk] :else -inf))
      (def next (max most v))
      [next (+ (* total (exp (- most next))) (exp (- v next)))]))
  (def m (max most :axis 1 :keep true))
  (def t (sum (* total (exp (- most m))) :axis 1 :keep true))
  (def r (/ 1.0 t))
  (for [j 0 n chunk]
    (def v (load x [row j] [1 chunk] :else -inf))
    (store (* (exp (- v m)) r) y [row j]))))
(defmacro define-rows [name warps]
 `(deftile ~name {:const [rows columns] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (* rows (program-id 0)))
  (def v (load x [row 0] [rows columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (/ e (sum e :axis 1 :keep true)) y [row 0])))

(defmacro define-prefetch [name warps]
 `(deftile ~name {:const [chunk] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 chunk] -1e30) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most v))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def m (max most :axis 1 :keep true))
  (def t (sum (* total (exp (- most m))) :axis 1 :keep true))
  (def r (/ 1.0 t))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (store (* (exp (- v m)) r) y [row j])
    after)))
(defmacro define-scalars [name warps]
 `(deftile ~name {:const [chunk] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 1] -1e30) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def r (/ 1.0 (sum total :axis 1 :keep true)))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (store (* (exp (- v most)) r) y [row j])
    after)))

(defmacro define-reverse [name warps]
 `(deftile ~name {:const [chunk] :warps ~warps} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def end (* chunk (/ (- n 1) chunk)))
  (def [most total last]
    (fold [most (full f32 [1 1] -1e30) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def r (/ 1.0 (sum total :axis 1 :keep true)))
  (fold [v (load x [row end] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (- (- end j) chunk)] [1 chunk] :else -inf))
    (store (* (exp (- v most)) r) y [row (- end j)])
    after)))
(define-scalars s16 16) (define-scalars s8 8)
(define-reverse b16 16) (define-reverse b8 8) (define-reverse b32 32)
(define-rows r2 2)
(defmacro measure [name bytes & body]
  `(let [time (time-of 20 ~@body)]
     (println ~(str name ": %.2f us, %.0f GB/s") time (/ (cast f64 ~bytes) (* 1e3 time)))))
(defmacro try-chunks [p chunk]
  `(measure ~(str p " " chunk) (* 8 8192 (memref.dim x 1)) (launch ~p {:grid [8192] :const {:chunk ~chunk}} x y)))
(defmacro try-rows [p rows]
  `(measure ~(str p " " rows) (* 8 65536 768) (launch ~p {:grid [(/ 65536 ~rows)] :const {:rows ~rows :columns 1024}} x y)))
(defn chunks [(: columns index)]
  (def x (timing/random-f32 8192 columns 1))
  (def y (timing/random-f32 8192 columns 2))
  (println "columns %ld" (cast i64 columns))
  (try-chunks s16 8192) (try-chunks s16 4096) (try-chunks s8 4096) (try-chunks s8 8192) (try-chunks b16 8192) (try-chunks b16 4096) (try-chunks b8 4096) (try-chunks b32 8192))
(defn main []
  (chunks 50257)
  (chunks 50304)
  (let [x (timing/random-f32 65536 768 1) y (timing/random-f32 65536 768 2)]
    (try-rows r2 1)))

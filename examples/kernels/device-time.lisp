;;; device-time.lisp - how long kernels take, on numbers that are the same in each run: for the ladders beside it, and
;;; for the programs of tools/dev/bench_tiles and tools/dev/bench_tensors.
(require-dialect memref gpu)
(require ["../gpt2/options.lisp" :as options])

;; A number in [-1, 1) for each place and seed.
(defn noise [(: i index) (: j index) (: seed index)] -> f32
  (def n (% (+ (* i 7919) (* j 104729) (* 13 (* i j)) (* 31 seed)) 65536))
  (/ (- (cast f32 n) 32768.0) 32768.0))

;; Returns when everything that was launched has ended: the host prints a line if a number of the device's is not 0.
(defn finish [(: m memref<?xf32>)]
  (def host (memref.alloc {:result memref<?xf32>} (: 1 index)))
  (download! host m)
  (when (!= (memref.load host 0) 0.0) (println "the device's memory is not what was written"))
  (memref.dealloc host))

;; (time-of repetitions body ...): microseconds of one execution, of many in a row after some that do not count.
(defmacro time-of [repetitions & body]
  `(let [mark# (device-alloc memref<?xf32> [(: 1 index)])]
     (parallel [i# 1] (memref.store 0.0 mark# i#))
     ;; The body is in the program once: a second copy would be other kernels, which are loaded when first launched.
     (def [_ start#] (loop [again# (: 0 index) start# (: 0.0 f64)] :while (< again# (+ 5 ~repetitions))
                       :do (do
                             (def now# (if (= again# 5) (do (finish mark#) (options/seconds)) start#))
                             ~@body
                             [(+ again# 1) now#])))
     (finish mark#)
     (/ (* 1e6 (- (options/seconds) start#)) (cast f64 ~repetitions))))

;;; timing.lisp - shared by the programs that tools/dev/bench-tiles runs: device memory with random numbers, and times.
(require-dialect memref gpu)
(require ["../../../examples/gpt2/options.lisp" :as options])

;; A number in [-1, 1) for each place, the same on each run.
(defn noise [(: i index) (: j index) (: seed index)] -> f32
  (def n (% (+ (* i 7919) (* j 104729) (* 13 (* i j)) (* 31 seed)) 65536))
  (/ (- (cast f32 n) 32768.0) 32768.0))

(defn random-f32 [(: rows index) (: columns index) (: seed index)] -> memref<?x?xf32>
  (def m (device-alloc memref<?x?xf32> [rows columns]))
  (parallel [i rows j columns] (memref.store (noise i j seed) m i j))
  m)

(defn random-bf16 [(: rows index) (: columns index) (: seed index)] -> memref<?x?xbf16>
  (def m (device-alloc memref<?x?xbf16> [rows columns]))
  (parallel [i rows j columns] (memref.store (cast bf16 (noise i j seed)) m i j))
  m)

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
     (for [again# 0 5] ~@body)
     (finish mark#)
     (let [start# (options/seconds)]
       (for [again# 0 ~repetitions] ~@body)
       (finish mark#)
       (/ (* 1e6 (- (options/seconds) start#)) (cast f64 ~repetitions)))))

;;; ladder.lisp - what the steps of a ladder share: numbers in device memory, the comparison with a reference, and
;;; times.
;;;
;;; A step is a program: without arguments it compares its kernel with the reference of its folder, at a small shape;
;;; with the argument `time` it prints `time: N us` at the shape that the folder names.
(require-dialect memref gpu)
(require ["../gpt2/options.lisp" :as options])

;; A number in [-1, 1) for each index and seed, the same in each run.
(defn noise [(: i index) (: j index) (: seed index)] -> f32
  (def n (% (+ (* i 7919) (* j 104729) (* 13 (* i j)) (* 31 seed)) 65536))
  (/ (- (cast f32 n) 32768.0) 32768.0))

(defn matrix [(: rows index) (: columns index) (: seed index)] -> memref<?x?xf32>
  (def m (device-alloc memref<?x?xf32> [rows columns]))
  (parallel [i rows j columns] (memref.store (noise i j seed) m i j))
  m)

(defn vector [(: size index) (: seed index)] -> memref<?xf32>
  (def v (device-alloc memref<?xf32> [size]))
  (parallel [i size] (memref.store (noise i seed seed) v i))
  v)

;; Integers from 0 to below `bound`.
(defn integers [(: size index) (: bound index)] -> memref<?xi32>
  (def v (device-alloc memref<?xi32> [size]))
  (parallel [i size] (memref.store (cast i32 (% (* i 7919) bound)) v i))
  v)

(defn on-host [(: m memref<?x?xf32>)] -> memref<?x?xf32>
  (def h (memref.alloc {:result memref<?x?xf32>} (memref.dim m 0) (memref.dim m 1)))
  (download! h m)
  h)

(defn vector-on-host [(: v memref<?xf32>)] -> memref<?xf32>
  (def h (memref.alloc {:result memref<?xf32>} (memref.dim v 0)))
  (download! h v)
  h)

(defn integers-on-host [(: v memref<?xi32>)] -> memref<?xi32>
  (def h (memref.alloc {:result memref<?xi32>} (memref.dim v 0)))
  (download! h v)
  h)

;; Prints whether what the kernel made is what the reference says, within a difference that rounding explains. A NaN
;; is not.
(defn compare [(: made memref<?x?xf32>) (: wanted memref<?x?xf32>) (: limit f32)]
  (def m (on-host made))
  (def worst (fold [w (: 0.0 f32)] [i 0 (memref.dim m 0)]
    (fold [w w] [j 0 (memref.dim m 1)] (max w (abs (- (memref.load m i j) (memref.load wanted i j)))))))
  (println "%s, largest difference %.1e" (if (<= worst limit) (cstring "ok") (cstring "wrong")) worst))

;; Returns when all that was launched has ended.
(defn finish [(: mark memref<?xf32>)]
  (def host (vector-on-host mark))
  (when (!= (memref.load host 0) 0.0) (println "the device's memory is not what was written"))
  (memref.dealloc host))

;; Prints the time of one execution of the body, of many in a row.
(defmacro print-time [repetitions & body]
  `(let [mark# (device-alloc memref<?xf32> [(: 1 index)])]
     (parallel [i# 1] (memref.store 0.0 mark# i#))
     ;; The body is in the program once: a second copy would be other kernels, which are loaded when first launched.
     (def [_ start#] (loop [again# (: 0 index) start# (: 0.0 f64)] :while (< again# (+ 5 ~repetitions))
                       :do (do
                             (def now# (if (= again# 5) (do (finish mark#) (options/seconds)) start#))
                             ~@body
                             [(+ again# 1) now#])))
     (finish mark#)
     (println "time: %.2f us" (/ (* 1e6 (- (options/seconds) start#)) (cast f64 ~repetitions)))))

;; Defines main: (check) without arguments, (measure) with the argument `time`.
(defmacro define-main [check measure]
  `(defn main [(: count i64) (: words !llvm.ptr)]
     (if (= count 0) ~check ~measure)))

;;; ladder.lisp - what the steps of a ladder share: numbers in device memory, the comparison with a reference, and
;;; times.
;;;
;;; A step is a program: without arguments it compares its kernel with the reference of its folder, at a small shape;
;;; with the argument `time` it prints `time: N us` at the shape that the folder names.
(require-dialect memref gpu)
(require ["./device-time.lisp" :as device-time])
(require-macros "./device-time.lisp")

(defn matrix [(: rows index) (: columns index) (: seed index)] -> memref<?x?xf32>
  (def m (device-alloc memref<?x?xf32> [rows columns]))
  (parallel [i rows j columns] (memref.store (device-time/noise i j seed) m i j))
  m)

(defn vector [(: size index) (: seed index)] -> memref<?xf32>
  (def v (device-alloc memref<?xf32> [size]))
  (parallel [i size] (memref.store (device-time/noise i seed seed) v i))
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
  (report worst limit))

(defn compare-vectors [(: made memref<?xf32>) (: wanted memref<?xf32>) (: limit f32)]
  (def m (vector-on-host made))
  (def worst (fold [w (: 0.0 f32)] [i 0 (memref.dim m 0)]
    (max w (abs (- (memref.load m i) (memref.load wanted i))))))
  (report worst limit))

(defn report [(: worst f32) (: limit f32)]
  (println "%s, largest difference %.1e" (if (<= worst limit) (cstring "ok") (cstring "wrong")) worst))

;; Prints the time of one execution of the body, of many in a row.
(defmacro print-time [repetitions & body]
  `(println "time: %.2f us" (time-of ~repetitions ~@body)))

;; Defines main: (check) without arguments, (measure) with the argument `time`.
(defmacro define-main [check measure]
  `(defn main [(: count i64) (: words !llvm.ptr)]
     (if (= count 0) ~check ~measure)))

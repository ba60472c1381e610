;;; all-reduce.lisp - microseconds of an all-reduce of F32, 100 of them in one repeated step, and its bandwidth. See
;;; tools/dev/bench-comm.
(require-dialect memref)
(require ["../../../examples/gpt2/options.lisp" :as options])
(defmesh [dp])

;; Waits for the device by a copy of one number: one of all of them would take longer than the all-reduce.
(defn finish [(: mark memref<1xf32>) (: host memref<1xf32>)]
  (download! host mark))

;; Microseconds of one all-reduce of so many numbers: the median of 15 steps of `count`.
(defn time-of [(: numbers index) (: count index)] -> f64
  (def host (memref.alloc {:result memref<?xf32>} numbers))
  (for [i 0 numbers] (memref.store 0.0 host i))
  (def m (to-device host))
  (def host-mark (memref.alloc {:result memref<1xf32>}))
  (memref.store 0.0 host-mark 0)
  (def mark (to-device host-mark))
  (def steps (: 15 index))
  (def times (memref.alloc {:result memref<?xf64>} steps))
  (for [step 0 (+ steps 3)]
    (finish mark host-mark)
    (all-reduce m :over dp)   ; So that ranks begin together.
    (finish mark host-mark)
    (def start (options/seconds))
    (replayable (for [i 0 count] (all-reduce m :over dp)))
    (finish mark host-mark)
    (when (>= step 3)
      (memref.store (/ (* 1e6 (- (options/seconds) start)) (cast f64 count)) times (- step 3))))
  ;; The number of times that are less decides which is the median.
  (fold [median 0.0] [i 0 steps]
    (def own (memref.load times i))
    (def less (fold [n (: 0 index)] [j 0 steps]
                (def other (memref.load times j))
                (if (or (< other own) (and (= other own) (< j i))) (+ n 1) n)))
    (if (= less (/ steps 2)) own median)))

(defn show [(: numbers index) (: count index)]
  (def us (time-of numbers count))
  (def bytes (* 4.0 (cast f64 numbers)))
  (def p (cast f64 (ranks dp)))
  (when (= (rank) 0)
    (println "all-reduce %10.0f B: %9.2f us, bus %7.2f GB/s" bytes us
             (/ (* bytes (* 2.0 (/ (- p 1.0) p))) (* 1e3 us)))))

(defn main []
  (show 2 100)
  (show 1024 100)
  (show 16384 100)
  (show 262144 100)
  (show 16777216 10))

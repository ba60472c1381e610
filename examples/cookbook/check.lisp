; What the programs of this folder share: the line that each prints about its result, and the time that it takes.
; RUN: lispier check %s
(require-dialect llvm memref)

(extern-fn clock_gettime (-> [i32 !llvm.ptr] [i32]))

; A NaN is not ok.
(defn report [(: name !llvm.ptr) (: difference f32) (: limit f32)]
  (if (<= difference limit)
    (println "%s: ok" name)
    (println "%s: wrong by %g" name difference)))

; The largest difference of two tensors.
(defn difference [a b] (at (max (abs (- a b)))))

(defn seconds [] -> f64
  (def time (llvm.alloca {:elem_type i64 :result !llvm.ptr} (: 2 i64)))
  (clock_gettime (: 1 i32) time)
  (+ (cast f64 (ptr-load i64 time)) (* 1e-9 (cast f64 (ptr-load i64 (ptr-at i64 time 1))))))

; With an argument, `run FILE -- time`, a program prints how long the value takes, in milliseconds: the best of ten
; runs, each stored in memory of this type.
(defmacro timed [argc type sizes value]
  `(when (> ~argc 0)
     (let [memory# (memref.alloc {:result ~type} ~@sizes)
           best# (fold [best# (: 1e9 f64)] [i# 0 10]
                   (let [began# (seconds)]
                     (store ~value memory#)
                     (min best# (- (seconds) began#))))]
       (println "time %.4f" (* 1000.0 best#)))))

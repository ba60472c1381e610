; (report a b allowed rounding) compares two matrices: whether all numbers are equal or differ by at most `allowed`, and
; `rounding` of the number; the sum of those that are finite is the same for any number of threads.
(require-dialect memref math arith)
(defmacro report [a b allowed rounding]
  `(do
     (def [wrong sum]
       (fold [wrong (: 0 i32) sum (: 0.0 f64)] [i 0 (memref.dim ~a 0)]
         (fold [wrong wrong sum sum] [j 0 (memref.dim ~a 1)]
           (def x (cast f32 (memref.load ~a i j)))
           (def y (cast f32 (memref.load ~b i j)))
           (def close (<= (math.absf (- x y)) (+ ~allowed (* (: ~rounding f32) (math.absf y)))))
           [(if (or (= x y) close) wrong (+ wrong (: 1 i32)))
            (if (< (math.absf x) (: 1.0e30 f32)) (+ sum (cast f64 x)) sum)])))
     (print "%ld x %ld, sum %.17g: %d wrong\n" (cast i64 (memref.dim ~a 0)) (cast i64 (memref.dim ~a 1)) sum wrong)))

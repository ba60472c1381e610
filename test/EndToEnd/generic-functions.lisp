; Generic functions run: on numbers and vectors of several types, in loops, kernels and launches, with constants and with
; functions as arguments, from another file and from the output of macros.
; RUN: split-file %s %t && lispier run %t/main.lisp | FileCheck %s
; RUN: lispier run --target=sim %t/main.lisp | FileCheck %s
; RUN: lispier build %t/main.lisp -o %t/main && %t/main | FileCheck %s
; RUN: lispier eval '(defn twice [x & {:by 2}] (* x by)) (println "%%d %%g" (twice (: 4 i32)) (twice 0.5 :by 3))' | FileCheck %s --check-prefix=EVAL
; EVAL: 8 1.5

;--- math.lisp
(require-dialect memref)
(defn square [x] (* x x))
(defn poly [x & {:f square :plus 1}] (+ (f x) plus))
(defn each! [f m] (for [i 0 (memref.dim m 0)] (memref.store (f (memref.load m i)) m i)))
(defmacro square-of [x] `(square ~x))

;--- main.lisp
(require-dialect memref vector)
(require ["./math.lisp" :as m])
(require-macros "./math.lisp")

(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))
(defn clamp [x low high] (max low (min x high)))
(defn factorial [n] (if (<= n 1) 1 (* n (factorial (- n 1)))))
(defn even? [n] (if (= n 0) (: true i1) (odd? (- n 1))))
(defn odd? [n] (if (= n 0) (: false i1) (even? (- n 1))))
(defn sum-of [m & {:each m/square}]
  (fold [s 0] [i 0 (memref.dim m 0)] (+ s (each (memref.load m i)))))
(defn report [x] (println "%.4f" (cast f64 x)))

(defkernel elements [(: m memref<?xf32>)]
  (def i (thread-id :x))
  (memref.store (gelu (m/poly (memref.load m i))) m i))

(defn main []
  ; CHECK: 0.8412 0.8412
  (println "%.4f %.4f" (gelu (: 1.0 f32)) (gelu 1.0))
  (def v (gelu (: [1.0 -1.0] vector<2xf32>)))
  ; CHECK-NEXT: 0.8412 -0.1588
  (println "%.4f %.4f" (vector.extract v 0) (vector.extract v 1))
  ; CHECK-NEXT: 6 6
  (println "%g %d" (clamp (: 7.5 f32) 0 6) (clamp (: 7 i32) 0 6))
  ; CHECK-NEXT: 120 5040
  (println "%ld %g" (factorial 5) (factorial 7.0))
  ; CHECK-NEXT: 1 0
  (println "%d %d" (even? 10) (even? (: 7 i32)))
  ; CHECK-NEXT: 5 2 8 16
  (println "%ld %ld %ld %ld" (m/poly 2) (m/poly 2 :plus -2) (m/poly 2 :f factorial :plus 6) (square-of 4))
  (def m (memref.alloc {:result "memref<?xf32>"} (: 3 index)))
  (for [i 0 3] (memref.store 2.0 m i))
  (m/each! gelu m)
  (m/each! sqrt m)
  ; CHECK-NEXT: 5.86379
  (println "%g" (sum-of m))
  ; CHECK-NEXT: 4.19421
  (println "%g" (sum-of m :each abs))
  (def d (to-device m))
  (launch elements {:block 3} d)
  (launch {:block 2} (memref.store (m/square (memref.load d (thread-id :x))) d (thread-id :x)))
  (download! m d)
  ; CHECK-NEXT: 8.7049
  ; CHECK-NEXT: 8.7049
  ; CHECK-NEXT: 2.9504
  (for [i 0 3] (report (memref.load m i))))

; A histogram: as a formula, and by threads that add to shared counts.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check] ["./random.lisp" :as random])
(require-macros "./check.lisp")

(defn histogram [(: x (tensor n f32)) & {:bins 10}]
  (sum (cast i32 (= (iota i32 [bins]) (reshape (cast i32 (floor (* x 10.0))) [n 1]))) :axis 0))

(defkernel count [(: x (tensor n f32)) (: counts memref<10xi32>)]
  (def i (+ (thread-id :x) (* (block-id :x) 256)))
  (when (< i n) (atomic-add 1 counts [(cast index (cast i32 (floor (* (at x i) 10.0))))])))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def small (histogram (: [0.05 0.31 0.39 0.95 0.99 0.999] tensor<6xf32>)))
  (println "%ld %ld %ld" (at small 0) (at small 3) (at small 9)) ; CHECK: {{^}}1 2 3{{$}}
  (def x (random/uniform 5000 11))
  (def counts (to-memref (zeros i32 [10])))
  (launch count {:grid [20] :block [256]} x counts)
  (def h (cast i32 (histogram x)))
  (println "%d" (cast i32 (at (all (= h (load counts))))))                        ; CHECK: {{^}}1{{$}}
  (println "%ld" (at (sum h)))                                                    ; CHECK: {{^}}5000{{$}}
  (def large (to-memref (random/uniform 1000000 12)))
  (timed argc memref<?xi64> [(: 10 index)] (histogram (load large))))

; Softmax of each row, by its formula. The largest element is taken away first, so that no exponential overflows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn softmax-rows [x]
  (def e (exp (- x (max x :axis -1 :keep true))))
  (/ e (sum e :axis -1 :keep true)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println (softmax-rows (: [[1.0 2.0 3.0] [1000.0 1000.0 999.0]] tensor<2x3xf32>)) :digits 4)
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0.09003 0.2447 0.6652]
  ; CHECK-NEXT: [0.4223 0.4223 0.1554]
  (def x (sin (reshape (iota f32 [6000]) [20 300])))
  (check/report (cstring "rows") (at (max (abs (- (sum (softmax-rows x) :axis 1) 1.0)))) 1e-6)  ; CHECK: rows: ok
  (check/report (cstring "library") (check/difference (softmax-rows x) (softmax x)) 1e-7)       ; CHECK: library: ok
  (def large (to-memref (sin (reshape (iota f32 [4194304]) [1024 4096]))))
  (timed argc memref<?x?xf32> [(: 1024 index) (: 4096 index)] (softmax-rows (load large))))

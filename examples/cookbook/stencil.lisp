; Heat on a square whose edge is cold: each step makes a point the mean of its four neighbours (Jacobi).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn stepped [(: x (tensor h w f32))]
  (def p (pad x [[1 1] [1 1]] 0.0))
  (* 0.25 (+ (+ (slice p [0 1] [h w]) (slice p [2 1] [h w])) (+ (slice p [1 0] [h w]) (slice p [1 2] [h w])))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; The slowest wave, sin(a i) sin(a j) with a = pi / (n + 1), loses the factor cos a in each step.
  (def a (/ 3.14159265 32.0))
  (def wave (* (sin (* a (+ 1.0 (iota f32 [31 1] :axis 0)))) (sin (* a (+ 1.0 (iota f32 [31]))))))
  (def later (fold [x wave] [i 0 50] (stepped x)))
  (check/report (cstring "decay") (check/difference later (* wave 0.785504)) 1e-4)     ; CHECK: decay: ok
  (def large (to-memref (sin (reshape (iota f32 [1048576]) [1024 1024]))))
  (timed argc memref<?x?xf32> [(: 1024 index) (: 1024 index)] (stepped (load large))))

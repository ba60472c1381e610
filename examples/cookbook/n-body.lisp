; n bodies that attract each other, all pairs, in steps of leapfrog. The total momentum stays what it was.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn acceleration [(: p (tensor n 3 f32)) (: m (tensor n f32))]
  (def d (- (reshape p [1 n 3]) (reshape p [n 1 3])))
  (def r2 (+ (sum (* d d) :axis 2) 0.01))
  (einsum "ijc,ij->ic" d (* m (/ (rsqrt r2) r2))))
(defn stepped [p v m]
  (def w (+ v (* 0.01 (acceleration p m))))
  [(+ p (* 0.01 w)) w])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def p (sin (* 1.37 (reshape (iota f32 [300]) [100 3]))))
  (def m (full f32 [100] 0.01))
  (def [q v] (fold [p p v (zeros f32 [100 3])] [i 0 10] (stepped p v m)))
  (check/report (cstring "momentum") (at (max (abs (sum (* v 0.01) :axis 0)))) 1e-5)     ; CHECK: momentum: ok
  (println "%d" (cast i32 (> (check/difference p q) 1e-3)))                              ; CHECK: {{^}}1{{$}}
  ; Two bodies at distance 2, softened by 0.1: m r / (r^2 + 0.01)^1.5.
  (def pair (acceleration (: [[0.0 0.0 0.0] [2.0 0.0 0.0]] tensor<2x3xf32>) (: [1.0 3.0] tensor<2xf32>)))
  (check/report (cstring "pair") (abs (- (at pair 0 0) 0.747201)) 1e-5)                  ; CHECK: pair: ok
  (def large (to-memref (sin (* 1.37 (reshape (iota f32 [3000]) [1000 3])))))
  (timed argc memref<?x?xf32> [(: 1000 index) (: 3 index)] (acceleration (load large) (full f32 [1000] 0.001))))

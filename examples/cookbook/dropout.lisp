; Dropout: each element is 0 with probability p, else divided by 1 - p. The mask comes from the elements' numbers and a
; seed (random.lisp), so that the gradient makes it again instead of keeping it; so does the language's own `dropout`.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check] ["./random.lisp" :as random])
(require-macros "./check.lisp")

(defn dropped [(: x (tensor n f32)) (: p f32) (: seed i32)]
  (where (< (random/uniform n seed) p) 0.0 (/ x (- 1.0 p))))
; d/dx of sum(dropped(x) g).
(defn dropped-gradient [(: g (tensor n f32)) (: p f32) (: seed i32)] (dropped g p seed))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (full f32 [10000] 1.0))
  (def y (dropped x 0.25 7))
  ; Of 10,000 elements 2,500 are expected, with a standard deviation of 43.
  (check/report (cstring "share") (abs (- (at (sum (cast f32 (= y 0.0)))) 2500.0)) 130.0)      ; CHECK: share: ok
  (check/report (cstring "mean") (abs (- (at (mean y)) 1.0)) 0.02)                        ; CHECK: mean: ok
  (check/report (cstring "gradient") (check/difference (dropped-gradient x 0.25 7) y) 0.0) ; CHECK: gradient: ok
  (println "%d" (cast i32 (> (check/difference (dropped x 0.25 8) y) 1.0)))               ; CHECK: {{^}}1{{$}}
  (def large (to-memref (sin (iota f32 [4000000]))))
  (timed argc memref<?xf32> [(: 4000000 index)] (dropped (load large) 0.25 7)))

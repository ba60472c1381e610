; Values that have a type of their own, beside others.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; RUN: not lispier check %s 2>&1 | grep -c warning | FileCheck %s --check-prefix=ONCE
(defn wide [] -> f64 0.5)
(defn twice [x s] (* x s))
(defn main []
  (def x (full f32 [2] 2.0))
  ; CHECK: :[[#@LINE+3]]:15: warning[type-widens]: `*` is computed in f64, because this operand is f64
  ; CHECK: :[[#@LINE+2]]:22: note: this operand is f32 [2]
  ; CHECK: hint: (cast f32 (wide)) keeps f32
  (println (* (wide) x))
  ; Once for both instances.
  ; CHECK: :5:24: warning[type-widens]: `*` is computed in f64, because this operand is f64
  ; CHECK: :[[#@LINE+1]]:12: note: in this call of `twice`, with x: tensor<2xf32>, s: f64
  (println (twice x (wide)))
  (println (twice (full f32 [3] 2.0) (wide)))
  ; In the library, whose lines are not the program's, it is what the argument asks for.
  (println (rope (zeros f64 [1 2 4]) 0))
  (def half 0.5)
  ; A fraction is no integer, and a quotient of integers no fraction.
  ; CHECK: :[[#@LINE+1]]:20: error[type-mismatch]: `+` takes operands of one element type, and these are f64 and i32 [2]
  (println (+ half (iota i32 [2])))
  (def quotient (/ 1 2))
  ; CHECK: :[[#@LINE+1]]:24: error[type-mismatch]: `*` takes operands of one element type, and these are i64 and f32 [2]
  (println (* quotient x))
  (def large 300)
  ; CHECK: :[[#@LINE-1]]:14: error[type-literal-range]: `300` is out of the range of i8
  (println (+ large (iota i8 [2]))))
; ONCE: {{^2$}}

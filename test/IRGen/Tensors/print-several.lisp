; println of a call of several results prints all of them.
; RUN: lispier run %s | FileCheck %s
(require-dialect func)
(defn both [(: x (tensor n f32))] (func.return (+ x 1.0) (argmax x)))
(defn halves [(: n i64)] -> [i64 f64] (func.return (/ n 2) (/ (cast f64 n) 2.0)))
(defn main []
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [1 2 3]
  ; CHECK-NEXT: i32 [] 2
  (println (both (iota f32 [3])))
  ; CHECK-NEXT: i64 [1]
  ; CHECK-NEXT: [0]
  ; CHECK-NEXT: i64 [1]
  ; CHECK-NEXT: [1]
  (println (split (iota i64 [2]) 2 :axis 0))
  ; CHECK-NEXT: {{^}}3{{$}}
  ; CHECK-NEXT: {{^}}3.5{{$}}
  (println (halves 7))
  ; CHECK-NEXT: {{^}}3 3.5;{{$}}
  (print (halves 7))
  (println ";"))

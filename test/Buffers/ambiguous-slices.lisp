; Parts that lack one of several dimensions of size 1: upstream's memref.subview took another one than was meant.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; CHECK: f64 [1 2 2 3]
; CHECK-NEXT: {{\[\[\[\[}}1 1.5 2]
; CHECK-NEXT: [1 1.5 2]]
; CHECK-NEXT: {{\[\[}}3.5 4.5 5.5]
; CHECK-NEXT: [2.5 3 3.5]]]]
(defn doubled [(: x (tensor _ f64))]
  (def rows (reshape x [1 2 _]))
  (stack (cumsum rows :axis 1) rows :axis 2))
(defn main [] (println (doubled (+ 1.0 (* 0.5 (iota f64 [6]))))))

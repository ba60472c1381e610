; A function that is not inlined, as it calls itself, has memory of its caller for its results. A result that is an
; update of another one is a copy of it, which the other one's memory does not become.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s

; The sums are a loop's.
(defn sums [(: x (tensor n f32)) (: k index)] -> [(tensor n f32) (tensor n f32)]
  (when (> k 10) (sums x (- k 1)) (do))
  (def y (cumsum x))
  [y (update y (slice y [0] [1]) [2])])
; They are a result in one branch, and read in the other one, which makes the result in the same place.
(defn again [(: x (tensor n f32)) (: k index)] -> [(tensor n f32) (tensor n f32)]
  (def y (cumsum x))
  (if (> k 0) (again y (- k 1)) [y (update y (slice y [0] [1]) [2])]))

(defn main []
  (def [a b] (sums (full f32 [5] 1.0) 0))
  (println a) ; CHECK: [1 2 3 4 5]
  (println b) ; CHECK: [1 2 1 4 5]
  (def [c d] (again (full f32 [5] 1.0) 1))
  (println c)  ; CHECK: [1 3 6 10 15]
  (println d)) ; CHECK: [1 3 1 10 15]

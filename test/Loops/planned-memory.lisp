; Values whose lives are disjoint share bytes of one plan: rows that write the second are not computed with those that
; read the first. Rows of another length are not prefetched.
; RUN: lispier run %s | FileCheck %s
; CHECK: [-7.5]
; CHECK-NEXT: [-16]
; CHECK-NEXT: [-25.5]
(defn sums [(: x (tensor 3 3 _ f32))] (cumsum (min x :axis 2 :keep true) :axis -2))
(defn main [] (println (at (sums (- (* -0.5 (reshape (iota f32 [18]) [3 3 2])) 1.0)) 2)))

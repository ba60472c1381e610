; The number of rows of a product is known only where the function is called, and is not 1: the variant for one row is
; valid until it is removed.
; RUN: lispier run --cache=false --verify-each=true %s | FileCheck %s
; CHECK: f32 [3 3]
; CHECK-NEXT: -3.29688 -2.78125 -2.26562
(defn products [(: y (tensor _ 3 f32))]
  (def doubled (+ y y))
  (def scores (einsum "mk,nk->nm" doubled y))
  (fold [a (+ scores doubled)] [i 0 3] (+ (* 0.5 a) doubled)))
(defn main [] (println (products (- (* 0.25 (reshape (iota f32 [9]) [3 3])) 1.0))))

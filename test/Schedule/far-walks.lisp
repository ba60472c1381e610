; Walks over all of more than 2^31 elements, whose results depend on indices beyond: a formula, reductions, and what is
; read and written there. One buffer of 2.2 GB.
; REQUIRES: memory-4g
; RUN: lispier run %s | FileCheck %s
(require-dialect memref)
(defn mark [(: x (inout (tensor n i8)))] (update x (cast i8 (>= (iota i64 [n]) 2147483600)) [0]))
(defn total [(: x (tensor n i8))] (sum (cast i64 x)))
(defn write [(: x (inout (tensor r c i8))) (: part (tensor 2 3 i8))] (update x part [(- r 2) (- c 3)]))
(defn rows [(: x (tensor r c i8))] (sum (cast i32 x) :axis 1))
(defn part [(: x (tensor r c i8))] (slice x [(- r 3) (- c 4)] [3 4]))
(defn picked [(: x (tensor n i8)) (: i (tensor k i64))] (gather x i))
(defn main []
  (def m (device-alloc memref<2200000000xi8> []))
  (mark m)
  (println (total (load m))) ; CHECK: i64 [] 52516400
  (def flat (load m))
  (println (picked flat (+ 2147483598 (iota i64 [4])))) ; CHECK-NEXT: i8 [4]
  ; CHECK-NEXT: [0 0 1 1]
  (def square (memref.expand_shape {:reassociation [[0 1]] :static_output_shape [50000 44000] :result memref<50000x44000xi8>} m))
  (write square (reshape (cast i8 (+ 2 (iota i32 [6]))) [2 3]))
  (println (part (load square))) ; CHECK-NEXT: i8 [3 4]
  ; CHECK-NEXT: [1 1 1 1]
  ; CHECK-NEXT: [1 2 3 4]
  ; CHECK-NEXT: [1 5 6 7]
  (def sums (rows (load square)))
  (println (slice sums [48805] [3])) ; CHECK-NEXT: i64 [3]
  ; CHECK-NEXT: [0 24400 44000]
  (println (slice sums [49998] [2]))) ; CHECK-NEXT: i64 [2]
  ; CHECK-NEXT: [44006 44015]

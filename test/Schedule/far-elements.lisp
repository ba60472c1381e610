; Tensors of more than 2^31 elements, of which the program touches few.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref)
(defn ends [(: x (tensor r c i8))]
  (+ (slice x [(- r 1) (- c 4)] [1 4]) (slice x [0 0] [1 4])))
(defn write [(: x (inout (tensor r c i8))) (: part (tensor 1 4 i8))]
  (update x (* part 0) [0 0])
  (update x (+ part 1) [(- r 1) (- c 4)]))
(defn picked [(: x (tensor r c i8)) (: i (tensor n i64))] (* 2 (gather (reshape x [(* r c)]) i)))
(defn main []
  (def m (device-alloc memref<?x?xi8> [2 1500000000]))
  (write m (reshape (cast i8 (iota i32 [4])) [1 4]))
  (println (ends m)) ; CHECK: i8 [1 4]
  ; CHECK-NEXT: [1 2 3 4]
  (println (picked m (- 2999999999 (iota i64 [4])))) ; CHECK-NEXT: i8 [4]
  ; CHECK-NEXT: [8 6 4 2]
  (println (dim (reshape (load m) [3000000000]) 0))) ; CHECK-NEXT: 3000000000

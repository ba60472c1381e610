; Sums of integers are i64, as NumPy's; other reductions keep the type.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(defn main []
  ; CHECK: i64 [] 20000
  (println (sum (full i8 [200] 100)))
  ; CHECK-NEXT: i64 [2]
  ; CHECK-NEXT: [9000 9000]
  (println (sum (full i16 [2 3] 3000) :axis 1))
  ; CHECK-NEXT: i64 [] 6000000000
  (println (sum (full i32 [3] 2000000000)))
  ; CHECK-NEXT: i64 [3]
  ; CHECK-NEXT: [100 200 300]
  (println (cumsum (full i8 [3] 100)))
  ; CHECK-NEXT: i8 [] -4
  (println (max (cast i8 (- (iota i32 [17]) 20))))
  ; CHECK-NEXT: i8 [] 1
  (println (min (cast i8 (+ 1 (iota i32 [17])))))
  ; Products of i8 are summed in i32.
  ; CHECK-NEXT: i32 [] 40000
  (println (einsum "i,i->" (full i8 [200] 100) (full i8 [200] 2))))

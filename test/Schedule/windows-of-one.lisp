; `gather` says that a dimension of a view of windows has the size 1, which the view's own type does not: tile programs see
; the dimensions beside it as one all the same.
; RUN: lispier run --target=sim %s -- one | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s -- one | FileCheck %s
; CHECK: i64 [1 4 2]
; CHECK-NEXT: {{\[\[}}[1 1]
; CHECK-NEXT: [2 4]
; CHECK-NEXT: [1 1]
; CHECK-NEXT: [3 4]]]

(defn sums [(: x (tensor _ _ i32)) (: places (tensor 1 4 i32))]
  (def y (reshape x [_ 2 2]))
  (gather y places :axis 1 :batch 1)
  (sum (windows y [2] :axes [1] :stride 1 :dilation 2 :pad [[1 2]] :value 1 :spread 2) :axes [-1]))
(defn run [(: one index)]
  (println (sums (reshape (iota i32 [(* one 4)]) [(* one 2) (* one 2)]) (reshape (iota i32 [(* one 4)]) [1 4]))))
(defn main [(: count i64) (: paths !llvm.ptr)]
  (run (cast index count)))

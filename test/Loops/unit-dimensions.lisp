; Rows that lack the third dimension of a tensor whose first has the size 1 and whose last only the run knows: the
; product read by the strides of a part that lacks the first.
; RUN: lispier run %s x | FileCheck %s
(defn product [(: y (tensor 1 3 2 _ f32))] (einsum "dbca,dbce->cae" y (flip y :axis 1)))
(defn main [(: argc i32) (: argv !llvm.ptr)]
  (def n (* 2 (cast index argc)))
  ; CHECK: f32 [2 2 2]
  ; CHECK-NEXT: {{\[\[\[}}16 28]
  ; CHECK-NEXT: [28 43]]
  ; CHECK-NEXT: {{\[\[}}76 94]
  ; CHECK-NEXT: [94 115]]]
  (println (product (reshape (iota f32 [(* 6 n)]) [1 3 2 n]))))

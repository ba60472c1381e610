; Reductions over dimensions of size 1, which are no loops, and whose results are repeated along another dimension.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:sm_80 %s | FileCheck %s
; CHECK: {{\[\[\[0\]}}
; CHECK-NEXT: [0.5]
; CHECK-NEXT: [1]]
; CHECK-NEXT: {{\[\[-0.5\]}}
(defn differences [(: x (tensor _ 1 1 f32))]
  (def sums (mean x :axis 2 :keep true))
  (def most (max x :axis -2))
  (- (reshape sums [3 1 1]) (reshape most [3 1])))
(defn main [] (println (differences (- (* -0.5 (reshape (iota f32 [3]) [3 1 1])) 1.0))))

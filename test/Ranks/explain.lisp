; --explain=placements says what tensors are on the ranks, once for a place, and why there is a collective: of the
; program, or for the sum that a gradient needs.
; RUN: lispier run --explain=placements %s 2>&1 | FileCheck %s
(defmesh [dp])
(defn loss [w x] (all-reduce (mean (tanh (* w x))) :over dp :by mean))
; CHECK-DAG: explain.lisp:[[#@LINE-1]]:18: dp: same, by all_reduce of what is partial
; CHECK-DAG: explain.lisp:[[#@LINE-2]]:36: dp: split 0
(defn main []
  (def x (own-part (iota f32 [4 3] :axis 0) :over dp))
  ; CHECK-DAG: explain.lisp:[[#@LINE-1]]:10: dp: split 0, by own_part of what is same
  (println (grad loss (full f32 [3] 1.0) x)))
; CHECK-DAG: explain.lisp:[[#@LINE-1]]:12: dp: same, by an all-reduce of the gradient, which is a partial sum

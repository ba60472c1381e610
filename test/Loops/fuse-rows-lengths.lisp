; Ops over the same rows, of lengths that only the run knows: an op whose rows are longer goes along all of its own,
; although it prefetches those of another one.
; RUN: lispier run %s x | FileCheck %s
(defn main [(: argc i32) (: argv !llvm.ptr)]
  (def n (cast index (+ 3 argc)))
  (def x (cast f32 (+ (* 3 (iota i64 [2 1] :axis 0)) (iota i64 [n]))))
  (def short (where (!= x x) 7 (+ 1 (cast i64 x))))
  (def long (where (>= (iota i64 [(+ n 2)]) 0) 99 (max short :axis -1 :keep true)))
  ; CHECK: [1 2 3 4 99 99]
  ; CHECK-NEXT: [4 5 6 7 99 99]
  (println (update long short :axis -1 :from 0)))

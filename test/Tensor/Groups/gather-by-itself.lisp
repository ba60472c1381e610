; A tensor at places that its own elements say: the gather is a kernel of its own, since it needs elements of other
; rows than its own.
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --check-prefixes=EXPLAIN,CHECK
; RUN: lispier run --target=sim %s | FileCheck %s
(defn jump [(: x (tensor 5 i32))] (gather x (% (abs x) 5) :axis 0))

; EXPLAIN: kernel main_2, elementwise: line 5
; EXPLAIN: not in main_1: it reads a result at other places than its own
; CHECK: [-10 -6 -2 -2 -6]
(defn main [] (println (jump (cast i32 (- (sum (reshape (iota f32 [10]) [5 2]) :axis 1) 11.0)))))

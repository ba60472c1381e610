; A tensor at places that its own elements say: the gather is a kernel of its own, since it needs elements of other
; rows than its own.
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --check-prefixes=EXPLAIN,CHECK
; RUN: lispier run --target=sim %s | FileCheck %s
(defn jump [(: x (tensor 5 i32))] (gather x (% (abs x) 5) :axis 0))

; EXPLAIN: kernel main_1, elementwise: line 5
; EXPLAIN: not in main_0: it reads a result at other places than its own
; CHECK: [-5 -1 -2 -3 -4]
(defn main [] (println (jump (- (% (iota i32 [5]) 11) 5))))

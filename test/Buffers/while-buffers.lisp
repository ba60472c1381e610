; Loops that begin with a condition copy nothing on the way from it to their body, and allocate nothing in it.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; Two buffers, of which an iteration writes the one that is not the value's; what the loop begins with is only read.
; CHECK-LABEL: func.func @mix(
; CHECK: scf.while (%[[A:[^ ]*]] = %arg0, %{{[^ ]*}} = %{{[^ ,]*}}, %[[F:[^ ]*]] = %{{[^ ,]*}}, %[[N:[^ ]*]] = %{{[^ )]*}})
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.condition({{.*}}) %[[A]], %{{[^,]*}}, %[[F]], %[[N]]
; CHECK: ^bb0(%[[A:[^:]*]]: {{[^,]*}}, %{{[^:]*}}: i64, %[[F:[^:]*]]: {{[^,]*}}, %[[N:[^:]*]]: {{[^)]*}})
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: group.kernel {{.*}} ins(%[[A]] {{.*}} outs(%[[F]]
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.yield %[[F]], %{{[^,]*}}, %[[N]], %[[F]]
; CHECK-NOT: dealloc_helper
; CHECK: return
(defn mix [(: x (tensor c c f32)) (: limit i64)] -> (tensor c c f32)
  (let [[y n] (loop [a x n 0] :while (< n limit) :do [(+ (* 0.5 a) (transpose a [1 0])) (+ n 1)])] (* 2.0 y)))

; In place: in a copy that is made once, since the argument is the caller's.
; CHECK-LABEL: func.func @place(
; CHECK: %[[OWN:.*]] = memref.alloc
; CHECK: memref.copy %arg0, %[[OWN]]
; CHECK: scf.while
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: outs(%[[OWN]] :
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: return %[[OWN]]
(defn place [(: x (tensor n f32)) (: limit i64)] -> (tensor n f32)
  (let [[y n] (loop [a x n 0] :while (< n limit) :do [(+ (* 0.5 a) 1.0) (+ n 1)])] y))

; The condition reads the tensor.
; CHECK-LABEL: func.func @until(
; CHECK: memref.copy
; CHECK: scf.while
; CHECK-NOT: memref.{{alloc|copy}}
; CHECK: scf.yield
; CHECK-NOT: memref.copy
; CHECK: return
(defn until [(: x (tensor n f32))] -> (tensor n f32)
  (let [[y] (loop [a x] :while (< (at (sum a)) 100.0) :do [(* 2.0 a)])] (+ y x)))

; Two values of the same memory at the beginning, of which one becomes the other.
(defn two [(: x (tensor n n f32)) (: limit i64)] -> (tensor n n f32)
  (let [[a b n] (loop [a x b x n 0] :while (< n limit) :do [(+ a (transpose b [1 0])) a (+ n 1)])] (+ a (* 10.0 b))))

; VALUE: {{^\[\[6.75 17\]$}}
; VALUE-NEXT: {{^ \[16.75 27\]\]$}}
; VALUE: {{^\[\[2 4\]$}}
; VALUE: {{^\[1.875 1.9375 2\]$}}
; VALUE: {{^\[0 1 2\]$}}
; VALUE: {{^\[33 66 99\]$}}
; VALUE: {{^\[\[35 93\]$}}
; VALUE-NEXT: {{^ \[82 140\]\]$}}
; VALUE: {{^\[\[11 22\]$}}
; VALUE: {{^\[\[1 2\]$}}
(defn main []
  (def m (reshape (+ 1.0 (iota f32 [4])) [2 2]))
  (println (mix m 3))
  (println (mix m 0))
  (println (place (iota f32 [3]) 4))
  (println (place (iota f32 [3]) 0))
  (println (until (+ 1.0 (iota f32 [3]))))
  (println (two m 3))
  (println (two m 0))
  (println m))

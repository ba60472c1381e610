; A form of more than 32 tensors is several ops, from the left: the time to compile a kernel grows faster than its operands.
; RUN: lispier --emit=module %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=RESULT
; CHECK-LABEL: @f(
; CHECK-COUNT-32: arith.subf
; CHECK: linalg.yield
; CHECK: linalg.generic
; CHECK-COUNT-9: arith.subf
; CHECK-NOT: linalg.generic
; CHECK: return
(defn f [(: x (tensor 2 f32))]
  (- 1.0 x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x 0.5))
(defn main [] (println (f (iota f32 [2])))) ; RESULT: [0.5 -39.5]

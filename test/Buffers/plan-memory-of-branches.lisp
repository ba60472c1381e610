; A size of a path that the program does not take may be negative: the plan counts it as 0, since other tensors need
; their memory.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s --check-prefix=IR
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: not lispier run %s -- x y z 2>&1 | FileCheck %s --check-prefix=WRONG

; IR-LABEL: func.func @either(
; IR: %[[LESS:.*]] = arith.{{subi|addi}} %arg1
; IR: %[[SIZE:.*]] = arith.maxsi %[[LESS]], %c0
; IR: %[[ROWS:.*]] = arith.muli %[[SIZE]], %c{{[0-9]+}}
; IR: memref.alloc(
; WRONG: plan-memory-of-branches.lisp:[[#@LINE+5]]:{{.*}}: error[tensor-size]: a size of a tensor is 0 or more, not -1997
(defn either [(: x (tensor n f32)) (: m index)] -> f32
  (if (> m 2)
      (at (sum (exp (cumsum (* 0.0 (iota f32 [(- m 3) 4096] :axis 0)) :axis 0))))
      (if (< m -1500)
          (at (sum (cumsum (iota f32 [(+ m 3)]))))
          (at (sum (exp (cumsum (* 0.0 x))))))))

; With a product of two, both of which are negative, the number of elements is positive.
(defn product [(: m index) (: n index)] -> f32 (at (sum (exp (cumsum (* 0.0 (iota f32 [(* m n)])))))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def less (cast index argc))
  ; CHECK: {{^20000$}}
  (println "%g" (cast f64 (either (iota f32 [20000]) (- (* less -500) 500))))
  ; CHECK: {{^8192$}}
  (println "%g" (cast f64 (either (iota f32 [3]) (+ less 5))))
  ; CHECK: {{^6000$}}
  (println "%g" (cast f64 (product (- less 2) (- less 3000)))))

; RUN: lispier --emit=module %s | FileCheck %s --check-prefix=MODULE
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s

; Ops of the dialect from Lisp: a vector in the operand list is an operand that may be absent, an activation is its name.
(require-dialect nn memref)

(defmacro fill-row! [m & values]
  `(do ~@(map (fn [i] `(memref.store (: ~(nth values i) f32) ~m 0 ~i)) (range (count values)))))

(defn show [(: m "memref<?x?xf32>")]
  (for [j 0 (memref.dim m 1)]
    (print "%.4f " (cast f64 (memref.load m 0 j))))
  (print "\n"))

(defn main []
  (def x (memref.alloc {:result "memref<1x3xf32>"}))
  (def w (memref.alloc {:result "memref<2x3xf32>"}))
  (def b (memref.alloc {:result "memref<2xf32>"}))
  (def y (memref.alloc {:result "memref<1x2xf32>"}))
  (fill-row! x 1.0 2.0 -1.0)
  (for [n 0 2] (for [k 0 3] (memref.store (cast f32 (cast i64 (- n k))) w n k))) ; 0 -1 -2 and 1 0 -1
  (memref.store (: -0.5 f32) b 0)
  (memref.store (: -9.5 f32) b 1)

  ; MODULE: nn.linear %[[X:.*]], %[[W:.*]] into %[[Y:.*]] : memref<1x3xf32>
  (nn.linear x w [] [] y)
  ; CHECK: {{^}}0.0000 2.0000
  (show (cast "memref<?x?xf32>" y))

  ; MODULE: nn.linear %[[X]], %[[W]] bias %[[B:.*]] residual %[[Y]] into %[[Y]] {activation = #nn<activation relu>}
  (nn.linear {:activation "relu"} x w [b] [y] y)
  ; CHECK-NEXT: {{^}}0.0000 2.0000
  (show (cast "memref<?x?xf32>" y))

  ; MODULE: nn.layer_norm %{{.*}} epsilon %{{.*}} into
  (nn.layer_norm y b b y (: 0.25 f32))
  ; The mean is 1, the variance 1: -1 and 1 times 1 / sqrt(1.25), times b, plus b.
  ; CHECK-NEXT: {{^}}-0.0528 -17.9971
  (show (cast "memref<?x?xf32>" y)))

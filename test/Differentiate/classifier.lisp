; The gradient of a classifier's loss by its logits is made where the statistics of their rows are, by one kernel with a tile
; program: nothing as large as the logits is between them. Here, and with a row that does not count, it is softmax minus
; one-hot, over the number of rows that count.
; RUN: lispier --emit=tensor --target=sim:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=NUMBERS
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=NUMBERS
; CHECK-LABEL: func.func @step
; CHECK: kind(contraction) {{.*}} outs(%[[LOGITS:[a-z_0-9]+]] :
; CHECK: kind(row) ins(%[[LOGITS]], {{.*}} outs(%{{.*}}, %{{.*}}, %[[GRADIENT:[a-z_0-9]+]] : memref<?xf32>, memref<?xf32>, memref<?x?xf32>)
; CHECK: kind(row) {{.*}} outs(%{{[a-z_0-9]+}} : memref<f32>)
; CHECK: kind(contraction) ins(%[[GRADIENT]],
; CHECK: kind(contraction) ins(%[[GRADIENT]],
; CHECK-LABEL: func.func @main
; NUMBERS: 2 gradients agree
(defn loss-of [(: x (tensor n c f32)) (: w (tensor v c f32)) (: t (tensor n i32)) & {:ignore -9223372036854775808}]
  (cross-entropy (einsum "nc,vc->nv" x w) t :ignore ignore))
(defn step [(: x (tensor n c f32)) (: w (tensor v c f32)) (: t (tensor n i32))]
  (value-and-grad loss-of x w t :wrt [0 1]))
(defn off [x w t dw (: counts (tensor n f32))]
  (def p (* (- (softmax (einsum "nc,vc->nv" x w)) (one-hot t (dim w 0))) (stack counts :axis -1)))
  (at (max (abs (- dw (einsum "nv,nc->vc" p x))))))
(defn main []
  (def x (reshape (sin (iota f32 [32])) [4 8]))
  (def w (reshape (cos (iota f32 [40])) [5 8]))
  (def t (* 2 (% (iota i32 [4]) 3)))
  (def [loss dx dw] (step x w t))
  (def e (grad loss-of x w t :wrt 1 :ignore 2))
  (if (< (max (off x w t dw (full f32 [4] 0.25)) (off x w t e (cast f32 (/ (cast f32 (!= t 2)) 3.0)))) 1e-6)
      (println "2 gradients agree")))

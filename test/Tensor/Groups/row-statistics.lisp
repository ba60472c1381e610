; A mean of a product of two values of a row is a number of the row, and sums of columns that read the same tensor are
; one kernel: a norm's gradients are two kernels.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=GPU
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --fuse=false %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; CHECK-LABEL: func.func @"norm-gradients"(
; CHECK-NOT: kind(contraction)
; CHECK-COUNT-2: group.kernel {{.*}} kind(row)
; CHECK-NOT: group.kernel
; CHECK: return
(defn norm-gradients [(: dy (tensor n c f32)) (: x (tensor n c f32)) (: g (tensor c f32)) (: mu (tensor n 1 f32)) (: r (tensor n 1 f32))]
  (def xh (* (- x mu) r))
  (def dxh (* dy g))
  [(* r (- dxh (mean dxh :axis 1 :keep true) (* xh (mean (* dxh xh) :axis 1 :keep true))))
   (sum (* dy xh) :axis 0) (sum dy :axis 0)])

; What only sums of columns need of rows is not stored for them: the kernel of rows gives its statistics, of which they
; compute it.
; GPU-LABEL: func.func @"norm-and-gradients"(
; GPU: group.kernel {{.*}} kind(contraction)
; GPU: group.kernel {{.*}} kind(row) {{.*}} outs({{[^)]*}} : memref<?xf32>, memref<?xf32>, memref<?x?xf32>)
; GPU: group.kernel {{.*}} kind(row) {{.*}} outs(%{{[^ ,]*}}, %{{[^ ,]*}} : memref<?xf32>, memref<?xf32>)
; GPU-NOT: group.kernel
; GPU: return
(defn norm-and-gradients [(: u (tensor n k f32)) (: w (tensor k c f32)) (: x (tensor n c f32)) (: g (tensor c f32))]
  (def dy (einsum "nk,kc->nc" u w))
  (def centered (- x (mean x :axis 1 :keep true)))
  (def r (rsqrt (+ (mean (* centered centered) :axis 1 :keep true) 1.0)))
  (def xh (* centered r))
  (def dxh (* dy g))
  [(* r (- dxh (mean dxh :axis 1 :keep true) (* xh (mean (* dxh xh) :axis 1 :keep true))))
   (sum (* dy xh) :axis 0) (sum dy :axis 0)])

; Sums along other dimensions of the same tensor are kernels of their own, and so is a product that the program names.
; CHECK-LABEL: func.func @apart(
; CHECK-DAG: group.kernel "apart_{{[0-9]}}" kind(row)
; CHECK-DAG: group.kernel "apart_{{[0-9]}}" kind(row)
; CHECK-DAG: group.kernel "apart_{{[0-9]}}" kind(contraction)
; CHECK: return
(defn apart [(: x (tensor n c f32)) (: v (tensor c f32))]
  [(sum x :axis 0) (sum (* 2.0 x) :axis 1) (einsum "nc,c->n" x v)])

; What only a reduction needs of a product that is stored anyway is computed there, and not stored beside it.
; CHECK-LABEL: func.func @"centred-product"(
; CHECK: kind(contraction) ins(%{{.*}}) outs(%{{[^ ,]*}} : memref<?x?xf32>) {
; CHECK: kind(row)
; CHECK: return
(defn centred-product [(: a (tensor n k f32)) (: w (tensor k c f32)) (: g (tensor c f32))]
  (def y (einsum "nk,kc->nc" a w))
  (- y (mean (* y g) :axis 1 :keep true)))

; Also of what its kernel makes of it, as what a layer adds to the residual stream, which its gradient needs, too: the
; norm's kernel adds it.
; GPU-LABEL: func.func @"normed-sum"(
; GPU: kind(contraction) ins(%{{.*}}) outs(%{{[^ ,]*}} : memref<?x?xbf16>) {
; GPU: kind(row) {{.*}} outs(%{{[^:]*}} : memref<?x?xf32>, memref<?x?xf32>)
; GPU: return
(defn normed-sum [(: s (tensor n c f32)) (: a (tensor n k bf16)) (: w (tensor k c bf16))]
  (def added (cast bf16 (einsum "nk,kc->nc" a w :out f32)))
  (def x (+ s (cast f32 added)))
  [added (* 2.0 x) (- x (mean x :axis 1 :keep true))])

(defn main []
  (def x (reshape (iota f32 [6]) [2 3]))
  (def ones (full f32 [2 1] 1.0))
  (def [dx dg db] (norm-gradients (* 2.0 x) x (+ 1.0 (iota f32 [3])) (* 1.0 ones) (* 0.5 ones)))
  (println dx) ; VALUE: [-2.16667 -0.666667 2.83333]
               ; VALUE-NEXT: [-20.6667 -23.1667 -23.6667]
  (println dg) ; VALUE: [6 12 22]
  (println db) ; VALUE: [6 10 14]
  (def [dx2 dg2 db2] (norm-and-gradients (* 2.0 x) (cast f32 (= (iota i32 [3]) (iota i32 [3 1] :axis 0))) x
                                                (+ 1.0 (iota f32 [3]))))
  (println dg2) ; VALUE: [-4.64758 0 10.8444]
  (println db2) ; VALUE: [6 10 14]
  (def [columns rows product] (apart x (+ 1.0 (iota f32 [3]))))
  (println columns) ; VALUE: [3 5 7]
  (println rows) ; VALUE: [6 24]
  (println product) ; VALUE: [8 26]
  (println (centred-product x (full f32 [3 3] 1.0) (+ 1.0 (iota f32 [3]))))
  ; VALUE: [-3 -3 -3]
  ; VALUE-NEXT: [-12 -12 -12]
  (def [added stream centred] (normed-sum x (cast bf16 x) (full bf16 [3 3] 2.0)))
  (println added)   ; VALUE: [6 6 6]
                    ; VALUE-NEXT: [24 24 24]
  (println stream)  ; VALUE: [12 14 16]
                    ; VALUE-NEXT: [54 56 58]
  (println centred)) ; VALUE: [-1 0 1]
                     ; VALUE-NEXT: [-1 0 1]

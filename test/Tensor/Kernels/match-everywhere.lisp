; A formula is an nn op only if it is that at every place and for every number: not if it differs at one position, in
; one head, beyond a diagonal, or for large numbers alone.
; RUN: lispier --emit=tensor %s -o - | lispier-opt --lispier-match-kernels | FileCheck %s

(defn scores-of [q k] (* (rsqrt (cast f32 (dim q 2))) (einsum "htd,hsd->hts" q k)))
(defn weighted [scores v] (einsum "hts,hsd->htd" (softmax scores) v))

; A key that nobody sees, and a distance at which nobody sees; a second comparison that changes nothing.
; CHECK-LABEL: func.func @hole(
; CHECK-NOT: nn.attention
; CHECK: group.kernel "hole_0" kind(attention)
(defn hole [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (let [key (iota i32 [s]) token (iota i32 [t 1] :axis 0)]
    (weighted (where (and (<= key token) (!= key 57)) (scores-of q k) -inf) v)))
; CHECK-LABEL: func.func @gap(
; CHECK-NOT: nn.attention
; CHECK: group.kernel "gap_0" kind(attention)
(defn gap [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (let [key (iota i32 [s]) token (iota i32 [t 1] :axis 0)]
    (weighted (where (and (<= key token) (!= (- token key) 50)) (scores-of q k) -inf) v)))
; CHECK-LABEL: func.func @twice(
; CHECK: nn.attention {{.*}} {group.kernel = "twice_0"} :
(defn twice [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (let [key (iota i32 [s]) token (iota i32 [t 1] :axis 0)]
    (weighted (where (and (<= key token) (< key (+ token 3))) (scores-of q k) -inf) v)))

; One head without a mask.
; CHECK-LABEL: func.func @"one-head"(
; CHECK-NOT: nn.attention
; CHECK: group.kernel "one-head_0" kind(attention)
(defn one-head [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (let [key (iota i32 [s]) token (iota i32 [t 1] :axis 0) head (iota i32 [h 1 1] :axis 0)]
    (weighted (where (or (= head 5) (<= key token)) (scores-of q k) -inf) v)))

; Weights that are taken away after the softmax, and scores that have a limit: neither is the attention of the kernel,
; and the first is none.
; CHECK-LABEL: func.func @dropped(
; CHECK-NOT: attention
; CHECK-LABEL: func.func @limited(
; CHECK-NOT: nn.attention
; CHECK: kind(attention)
(defn dropped [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (let [key (iota i32 [s]) token (iota i32 [t 1] :axis 0)
        weights (softmax (where (<= key token) (scores-of q k) -inf))]
    (einsum "hts,hsd->htd" (where (!= key 57) weights 0.0) v)))
(defn limited [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (weighted (min (scores-of q k) 1000.0) v))

; A triangle of a product, and a product with a limit.
; CHECK-LABEL: func.func @product(
; CHECK: nn.linear
; CHECK-LABEL: func.func @triangle(
; CHECK-NOT: nn.linear
; CHECK-LABEL: func.func @"product-with-limit"(
; CHECK-NOT: nn.linear
(defn product [(: x (tensor 16 d bf16)) (: w (tensor 32 d bf16))] (einsum "td,sd->ts" x w :out f32))
(defn triangle [(: x (tensor 16 d bf16)) (: w (tensor 32 d bf16))]
  (where (>= (iota i32 [32]) (iota i32 [16 1] :axis 0)) (product x w) 0.0))
(defn product-with-limit [(: x (tensor 16 d bf16)) (: w (tensor 32 d bf16))] (min (product x w) 3000000.0))

; Layer norms whose result has a limit, another number in one column, or a mean of another number of columns.
; CHECK-LABEL: func.func @norm(
; CHECK: nn.layer_norm
; CHECK-LABEL: func.func @"norm-with-limit"(
; CHECK-NOT: nn.layer_norm
; CHECK-LABEL: func.func @"norm-of-others"(
; CHECK-NOT: nn.layer_norm
(defn norm [(: x (tensor t 64 f32)) (: w (tensor 64 f32)) (: b (tensor 64 f32))] (layer-norm x w b))
(defn norm-with-limit [(: x (tensor t 64 f32)) (: w (tensor 64 f32)) (: b (tensor 64 f32))]
  (min (layer-norm x w b) 1000.0))
(defn norm-of-others [(: x (tensor t 64 f32)) (: w (tensor 64 f32)) (: b (tensor 64 f32))]
  (where (!= (iota i32 [64]) 17) (layer-norm x w b) 1000.0))
; CHECK-LABEL: func.func @"norm-of-sizes"(
; CHECK-NOT: nn.layer_norm
; CHECK: return
(defn norm-of-sizes [(: x (tensor t 64 f32)) (: w (tensor 64 f32)) (: b (tensor 64 f32)) (: n (tensor m f32))]
  (let [k (cast f32 (dim n 0))
        d (- x (/ (sum x :axis -1 :keep true) k))]
    (+ (* d (rsqrt (+ (/ (sum (* d d) :axis -1 :keep true) k) 1e-5)) w) b)))

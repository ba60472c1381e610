; Attention is group.attention however it is written, before any other pass looks at it: the order of dimensions, batches,
; heads that share keys, the way of the softmax, and what changes the scores. Other programs keep their ops.
; RUN: lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --convert-elementwise-to-linalg --lispier-form-structures | FileCheck %s

; CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d4)>
; CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d4)>
; CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d5)>
; CHECK-DAG: #[[NUMBER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> ()>
; CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>
; CHECK-DAG: #[[LSE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
; CHECK-DAG: #[[SLOPE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1)>
; CHECK-DAG: #[[PADDED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3)>
; CHECK-DAG: #[[QUERIES:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d4)>
; CHECK-DAG: #[[SHARED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4)>

; Batch and heads as two dimensions, of parts of one tensor; the mask is a condition in the region.
; CHECK-LABEL: func.func @packed(
; CHECK: group.attention {indexing_maps = [#[[Q]], #[[K]], #[[V]], #[[NUMBER]], #[[O]]]}
; CHECK-SAME: scores(%{{[^ ]*}} : f32)
; CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %[[T:.*]]: index, %[[P:.*]]: index, %[[S:.*]]: f32, %[[SCALE:.*]]: f32):
; CHECK: arith.index_cast %[[P]]
; CHECK: arith.index_cast %[[T]]
; CHECK: %[[SEEN:.*]] = arith.cmpi sle
; CHECK: %[[SCALED:.*]] = arith.mulf %[[SCALE]], %[[S]] : f32
; CHECK: %[[MASKED:.*]] = arith.select %[[SEEN]], %[[SCALED]]
; CHECK: group.score %[[MASKED]] : f32
; CHECK-NOT: linalg.contract
(defn packed [(: qkv (tensor b t c f32))]
  (def [q k v] (split (reshape qkv [b t 12 (/ c 12)]) 3 :axis 2))
  (def scale (rsqrt (cast f32 (dim q 3))))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def s (where seen (* scale (einsum "bthd,bshd->bhts" q k)) -inf))
  (einsum "bhts,bshd->bthd" (softmax s) v))

; The log-sum-exp of the scores is a result, also where it is needed before the values are there.
; CHECK-LABEL: func.func @log_sum(
; CHECK: group.attention {indexing_maps = [#[[Q]], #[[K]], #[[V]], #[[O]], #[[LSE]]]}
; CHECK: tensor.expand_shape {{.*}} into tensor<?x?x?x1xf32>
; CHECK-NOT: linalg.generic
; CHECK: return
(defn log_sum [(: q (tensor b t h 64 f32)) (: k (tensor b s h 64 f32)) (: v (tensor b s h 64 f32))]
  (def s (einsum "bthd,bshd->bhts" q k))
  (def m (max s :axis -1 :keep true))
  (def l (+ m (log (sum (exp (- s m)) :axis -1 :keep true))))
  [l (einsum "bhts,bshd->bthd" (softmax s) v)])
; CHECK-LABEL: func.func @early_log_sum(
; CHECK: group.attention
; CHECK: linalg.generic
; CHECK-NOT: linalg.contract
(defn early_log_sum [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (def s (einsum "htd,hsd->hts" q k))
  (def m (max s :axis -1))
  (def l (+ (log (sum (exp (- s (stack m :axis -1))) :axis -1)) m))
  [(* 2.0 l) (einsum "hts,hsd->htd" (exp (- s (stack l :axis -1))) v)])

; What depends on heads or positions is read by its map: ALiBi's slopes, padding. A soft cap is in the region.
; CHECK-LABEL: func.func @changed(
; CHECK: group.attention {indexing_maps = [#[[Q]], #[[K]], #[[V]], #[[PADDED]], #[[SLOPE]], #[[O]]]}
; CHECK: math.tanh
; CHECK: arith.sitofp
; CHECK: group.score
; CHECK-NOT: linalg
(defn changed [(: q (tensor b t h 64 f32)) (: k (tensor b s h 64 f32)) (: v (tensor b s h 64 f32))
               (: slopes (tensor h f32)) (: real (tensor b s i1))]
  (def distance (cast f32 (- (iota i32 [s]) (iota i32 [t 1] :axis 0))))
  (def capped (* 30.0 (tanh (/ (einsum "bthd,bshd->bhts" q k) 30.0))))
  (def biased (+ capped (* (reshape slopes [h 1 1]) distance)))
  (einsum "bhts,bshd->bthd" (softmax (where (reshape real [b 1 1 s]) biased -inf)) v))

; Heads of queries that share heads of keys; the weights are rounded to BF16, and the result after a change of its shape.
; CHECK-LABEL: func.func @shared(
; CHECK: group.attention {indexing_maps = [#[[QUERIES]], #[[SHARED]], {{.*}}, rounded = bf16}
; CHECK-SAME: outs(%{{.*}} : tensor<?x?x?x64xbf16>)
; CHECK: collapse_shape
; CHECK-NEXT: return
(defn shared [(: q (tensor t g r 64 bf16)) (: k (tensor g s 64 bf16)) (: v (tensor g s 64 bf16))]
  (def p (cast bf16 (softmax (* 0.125 (einsum "tgrd,gsd->grts" q k :out f32)))))
  (cast bf16 (reshape (einsum "grts,gsd->tgrd" p v :out f32) [t (* g r 64)])))

; A batch of one text is no loop.
; CHECK-LABEL: func.func @one_text(
; CHECK: tensor.collapse_shape %arg0
; CHECK: group.attention
; CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: f32):
; CHECK: tensor.expand_shape
(defn one_text [(: q (tensor 1 t h 64 f32)) (: k (tensor 1 s h 64 f32)) (: v (tensor 1 s h 64 f32))]
  (einsum "bhts,bshd->bthd" (softmax (einsum "bthd,bshd->bhts" q k)) v))

; The weights, or the maximum alone, are also a result; no softmax; one of other scores; one along the queries.
; CHECK-LABEL: func.func @and_weights(
; CHECK-NOT: group.attention
; CHECK: return
(defn and_weights [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (def w (softmax (einsum "htd,hsd->hts" q k)))
  [w (einsum "hts,hsd->htd" w v)])
; CHECK-LABEL: func.func @and_maximum(
; CHECK-NOT: group.attention
; CHECK: return
(defn and_maximum [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (def s (einsum "htd,hsd->hts" q k))
  [(max s :axis -1) (einsum "hts,hsd->htd" (softmax s) v)])
; CHECK-LABEL: func.func @not_shifted(
; CHECK-NOT: group.attention
; CHECK: return
(defn not_shifted [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (def e (exp (einsum "htd,hsd->hts" q k)))
  (einsum "hts,hsd->htd" (/ e (sum e :axis -1 :keep true)) v))
; CHECK-LABEL: func.func @of_queries(
; CHECK-NOT: group.attention
; CHECK: return
(defn of_queries [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (einsum "hts,hsd->htd" (softmax (einsum "htd,hsd->hts" q k) :axis 1) v))
; CHECK-LABEL: func.func @shifted_weights(
; CHECK-NOT: group.attention
; CHECK: return
(defn shifted_weights [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32)) (: b (tensor t s f32))]
  (einsum "hts,hsd->htd" (+ b (softmax (einsum "htd,hsd->hts" q k))) v))

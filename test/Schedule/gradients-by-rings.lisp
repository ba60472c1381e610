; Which chains of products go by rings. The gradient of queries has steps of 128 positions, those of keys and values, of
; which a thread has twice the sums, steps of 64 queries, and a number divides by one multiplication; tokens
; may be no multiple of a tile, and a mask may be a window. The sums over the tokens of all heads of queries that share
; keys are one loop. Not so in heads of 64, and of too few tiles.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s
; CHECK-LABEL: gpu.func @"of-128_0"({{.*}}ring = true
; CHECK: scf.for %{{.*}} step %c128 {{.*}}-> (vector<128x128xf32>)
; CHECK-NOT: arith.cmpf ord
; CHECK-LABEL: gpu.func @"of-128_1"({{.*}}ring = true
; CHECK: scf.for %{{.*}} step %c64 {{.*}}-> (vector<128x128xf32>, vector<128x128xf32>)
; CHECK-LABEL: gpu.func @"of-80_0"({{.*}}ring = true
; CHECK-LABEL: gpu.func @"of-80_1"({{.*}}ring = true
; CHECK-LABEL: gpu.func @windowed_0({{.*}}ring = true
; CHECK: scf.for %{{.*}} step %c128
; CHECK-LABEL: gpu.func @windowed_1({{.*}}ring = true
; CHECK: scf.for %{{.*}} step %c64 {{.*}}-> (vector<128x64xf32>, vector<128x64xf32>)
; CHECK-LABEL: gpu.func @few_0(
; CHECK-NOT: ring = true
; CHECK-LABEL: gpu.func @shared_0({{.*}}ring = true
; CHECK-LABEL: gpu.func @shared_1({{.*}}ring = true
; CHECK: scf.for %[[N:.*]] = %c0 to %c8 step %c1 {{.*}}-> (vector<128x128xf32>, vector<128x128xf32>)
; CHECK: arith.remui %[[N]], %c2
; CHECK-NOT: scf.for
; CHECK-LABEL: gpu.func @"shared-64_0"(
; CHECK-LABEL: gpu.func @"shared-64_1"(
; CHECK-NOT: ring = true

(defn gradients [s q k v do l delta]
  (def p (exp (- s l)))
  (def ds (cast bf16 (/ (* p (- (einsum "htd,hsd->hts" do v :out f32) delta)) 11.0)))
  [(cast bf16 (einsum "hts,hsd->htd" ds k :out f32)) (cast bf16 (einsum "hts,htd->hsd" ds q :out f32))
   (cast bf16 (einsum "hts,htd->hsd" (cast bf16 p) do :out f32))])
(defn scores [q k] (/ (einsum "htd,hsd->hts" q k :out f32) 11.0))
(defn seen [s] (where (<= (iota i32 [(dim s 2)]) (iota i32 [(dim s 1) 1] :axis 0)) s -inf))
(defn near [s] (where (< (iota i32 [(dim s 1) 1] :axis 0) (+ (iota i32 [(dim s 2)]) 300)) s -inf))

(defmacro def-gradients [name h t d masked]
  `(defn ~name [(: q (tensor ~h ~t ~d bf16)) (: k (tensor ~h ~t ~d bf16)) (: v (tensor ~h ~t ~d bf16))
                (: do (tensor ~h ~t ~d bf16)) (: l (tensor ~h ~t 1 f32)) (: delta (tensor ~h ~t 1 f32))]
     (def s (scores q k))
     (gradients ~masked q k v do l delta)))
(def-gradients of-128 66 256 128 (seen s))
(def-gradients of-80 85 200 80 s)
(def-gradients windowed 66 512 64 (near (seen s)))
(def-gradients few 65 256 64 s)

(defmacro def-shared [name d]
  `(defn ~name [(: q (tensor 66 2 256 ~d bf16)) (: k (tensor 66 256 ~d bf16)) (: v (tensor 66 256 ~d bf16))
                (: do (tensor 66 2 256 ~d bf16)) (: l (tensor 66 2 256 1 f32))]
     (def p (exp (- (/ (einsum "grtd,gsd->grts" q k :out f32) 8.0) l)))
     (def ds (cast bf16 (* p (einsum "grtd,gsd->grts" do v :out f32))))
     [(cast bf16 (einsum "grts,gsd->grtd" ds k :out f32)) (cast bf16 (einsum "grts,grtd->gsd" ds q :out f32))
      (cast bf16 (einsum "grts,grtd->gsd" (cast bf16 p) do :out f32))]))
(def-shared shared 128)
(def-shared shared-64 64)

; One token's attention rotates its query and key itself (rotary embedding), where nothing else needs the rotated heads.
; RUN: lispier --emit=tiles --print-ir-after=lispier-match-kernels --target=cuda:sm_90a %s -o %t 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=KERNEL
; KERNEL: call @__template_nn.rotated_attention
; RUN: lispier --emit=tiles %s -o - | FileCheck %s --check-prefix=CPU
; CPU-NOT: rotated_attention
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE

(defn rotated [x cosines sines]
  (def [a b] (split x 2 :axis -1))
  (concat (- (* a cosines) (* b sines)) (+ (* b cosines) (* a sines)) :axis -1))
(defn appended [heads turned position (: keys inout) (: values inout) g r & {:type f32}]
  (def h (* g r))
  (def [q k] (split turned [h g] :axis 1))
  (def [before v] (split heads [(+ h g) g] :axis 1))
  (attended (reshape q [(dim q 0) g r (dim q 2)]) k v position keys values :type type))
(defn attended [q k v position (: keys inout) (: values inout) & {:type f32}]
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose v [1 0 2]) [0 position 0])
  (def seen (<= (iota i32 [(dim keys 1)]) (+ position (iota i32 [(dim q 0) 1] :axis 0))))
  (def scores (* 0.25 (einsum "tgrd,gsd->grts" q keys :out f32)))
  (cast type (einsum "grts,gsd->tgrd" (cast type (softmax (where seen scores -inf))) values :out f32)))
(defn unturned [heads g r] (slice heads :axis 1 :to (+ (* g r) g)))
(defn table [x] (reshape x [(dim x 0) 1 (dim x 1)]))

; A branch keeps the groups for several tokens.
; CHECK-LABEL: func.func @layer(
; CHECK: scf.if
; CHECK: nn.rotated_attention {{.*}} by %{{.*}} through {{.*}} cache %arg4, %arg5 at %{{.*}} into
; CHECK: } else {
; CHECK: group.kernel "layer
; CHECK: nn.attention {{.*}} cache
; CHECK: return
(defn layer [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
             (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32))) (: values (inout (tensor groups s d f32)))
             (: g index) (: r index)]
  (appended heads (rotated (unturned heads g r) (table cosines) (table sines)) position keys values g r))

; Of 16-bit floats; sines come before cosines, and the second summand first.
; CHECK-LABEL: func.func @narrow(
; CHECK: nn.rotated_attention {{.*}} : memref<1x?x?xbf16
; CHECK: return
(defn narrow [(: heads (tensor t n d bf16)) (: sines (tensor t p f32)) (: cosines (tensor t p f32))
              (: position (tensor 1 i32)) (: keys (inout (tensor groups s d bf16))) (: values (inout (tensor groups s d bf16)))
              (: g index) (: r index)]
  (def [a b] (split (unturned heads g r) 2 :axis -1))
  (def [c s] [(table cosines) (table sines)])
  (def turned (concat (- (* c a) (* b s)) (+ (* s a) (* b c)) :axis -1))
  (appended heads (cast bf16 turned) position keys values g r :type bf16))

; Queries and keys that are rotated apart, as products of weights of their own are.
; CHECK-LABEL: func.func @"rotated-apart"(
; CHECK: scf.if
; CHECK: nn.rotated_attention {{.*}} through %{{[^ ]*}} cache %{{.*}} : memref<1x?x?xf32, {{.*}}>, memref<1x?x?xf32, {{.*}}>, memref<1x?x?xf32, {{.*}}>, memref<1x?xf32>, memref<1x?xf32>, memref<1x?x?xf32>
; CHECK: } else {
; CHECK-COUNT-2: kind(elementwise)
; CHECK: nn.attention {{.*}} cache
; CHECK: return
(defn rotated-apart [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                     (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32)))
                     (: values (inout (tensor groups s d f32))) (: g index) (: r index)]
  (def [q k v] (split heads [(* g r) g g] :axis 1))
  (def [c s] [(table cosines) (table sines)])
  (attended (reshape (rotated q c s) [t g r d]) (rotated k c s) v position keys values))
; Heads whose number the types know.
; CHECK-LABEL: func.func @"known-heads"(
; CHECK: nn.rotated_attention {{.*}} : memref<1x6x16xf32, {{.*}}>, memref<1x2x16xf32, {{.*}}>, memref<1x2x16xf32, {{.*}}>, memref<1x8xf32>
; CHECK: return
(defn known-heads [(: heads (tensor t 10 16 f32)) (: cosines (tensor t 8 f32)) (: sines (tensor t 8 f32))
                   (: position (tensor 1 i32)) (: keys (inout (tensor 2 s 16 f32))) (: values (inout (tensor 2 s 16 f32)))]
  (def turned (rotated (slice heads :axis 1 :to 8) (table cosines) (table sines)))
  (def [q k] (split turned [6 2] :axis 1))
  (attended (reshape q [t 2 3 16]) k (slice heads :axis 1 :from 8) position keys values))
; Halves that are parts of more heads than are rotated: the op gets those that are.
; CHECK-LABEL: func.func @"rotated-parts"(
; CHECK: %[[ROTATED:[^ ]*]] = memref.collapse_shape %{{[^ ]*}} {{\[\[}}0], [1], [2, 3]]
; CHECK: %[[COUNT:[^ ]*]] = memref.dim %[[ROTATED]], %c1
; CHECK: %[[SIZE:[^ ]*]] = memref.dim %[[ROTATED]], %c2
; CHECK: %[[Q:[^ ]*]] = memref.subview %arg0[0, 0, 0] [1, %[[COUNT]], %[[SIZE]]]
; CHECK: nn.rotated_attention %[[Q]],
; CHECK: return
(defn rotated-parts [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                     (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32)))
                     (: values (inout (tensor groups s d f32))) (: g index) (: r index)]
  (def [c s] [(table cosines) (table sines)])
  (def [h half] [(* g r) (/ d 2)])
  (def [a b] [(slice heads [0 0 0] [t h half]) (slice heads [0 0 half] [t h half])])
  (def q (concat (- (* a c) (* b s)) (+ (* b c) (* a s)) :axis -1))
  (def [k v] (split (slice heads :axis 1 :from h) [g g] :axis 1))
  (attended (reshape q [t g r d]) (rotated k c s) v position keys values))
; Not by other angles.
; CHECK-LABEL: func.func @"rotated-otherwise"(
; CHECK-NOT: nn.rotated_attention
; CHECK: return
(defn rotated-otherwise [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                         (: other (tensor t p f32)) (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32)))
                         (: values (inout (tensor groups s d f32))) (: g index) (: r index)]
  (def [q k v] (split heads [(* g r) g g] :axis 1))
  (attended (reshape (rotated q (table cosines) (table sines)) [t g r d])
            (rotated k (table cosines) (table other)) v position keys values))

; Not of heads that the caller gets, that turn the other way, by another angle from some head on, or in several steps.
; CHECK-LABEL: func.func @returned(
; CHECK-NOT: nn.rotated_attention
; CHECK: return
(defn returned [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32))) (: values (inout (tensor groups s d f32)))
             (: g index) (: r index)]
  (def turned (rotated (unturned heads g r) (table cosines) (table sines)))
  [turned (appended heads turned position keys values g r)])
; CHECK-LABEL: func.func @backwards(
; CHECK-NOT: nn.rotated_attention
; CHECK: return
(defn backwards [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                 (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32)))
                 (: values (inout (tensor groups s d f32)))
             (: g index) (: r index)]
  (def [a b] (split (unturned heads g r) 2 :axis -1))
  (def [c s] [(table cosines) (table sines)])
  (appended heads (concat (+ (* a c) (* b s)) (- (* b c) (* a s)) :axis -1) position keys values g r))
; CHECK-LABEL: func.func @half_of_the_heads(
; CHECK-NOT: nn.rotated_attention
; CHECK: return
(defn half_of_the_heads [(: heads (tensor t n d f32)) (: cosines (tensor t p f32)) (: sines (tensor t p f32))
                         (: position (tensor 1 i32)) (: keys (inout (tensor groups s d f32)))
                         (: values (inout (tensor groups s d f32)))
             (: g index) (: r index)]
  (def [a b] (split (unturned heads g r) 2 :axis -1))
  (def s (where (< (iota i32 [(dim a 1) 1] :axis 0) 4) (table sines) 0.0))
  (def c (table cosines))
  (appended heads (concat (- (* a c) (* b s)) (+ (* b c) (* a s)) :axis -1) position keys values g r))

(defn numbers [(: t index) (: n index) (: d index) (: seed f32)] -> (tensor _ _ _ f32)
  (sin (* seed (+ (* 7.0 (iota f32 [t n d] :axis 1)) (iota f32 [t n d] :axis 2) (* 3.0 (iota f32 [t n d] :axis 0))))))
; The largest difference of the result and of the caches from those of `returned`, which rotates in memory; four tokens
; are in the caches, and the fifth comes alone.
(defn difference [(: g index) (: r index) (: d index) & {:apart false}] -> f32
  (def all (numbers 5 (+ (* g r) g g) d 0.37))
  (def angles (* 0.3 (+ (iota f32 [5 (/ d 2)] :axis 0) (* 0.1 (iota f32 [5 (/ d 2)] :axis 1)))))
  (def keys (zeros f32 [g 6 d]))
  (def values (zeros f32 [g 6 d]))
  (def keys2 (zeros f32 [g 6 d]))
  (def values2 (zeros f32 [g 6 d]))
  (def [turned y] (returned all (cos angles) (sin angles) (zeros i32 [1]) keys2 values2 g r))
  (def [some one] (split all [4 1] :axis 0))
  (def [before last] (split angles [4 1] :axis 0))
  (if apart (rotated-apart some (cos before) (sin before) (zeros i32 [1]) keys values g r)
    (layer some (cos before) (sin before) (zeros i32 [1]) keys values g r))
  (def z
    (if apart (rotated-apart one (cos last) (sin last) (full i32 [1] 4) keys values g r)
      (layer one (cos last) (sin last) (full i32 [1] 4) keys values g r)))
  (def off (max (abs (- (slice y :axis 0 :from 4) z))))
  (max (at off) (max (at (max (abs (- keys keys2)))) (at (max (abs (- values values2)))))))

; Sums of as many as 136 products of numbers up to 1 in another order. Heads of 40 and 136 have no kernel of their own.
; VALUE: {{^}}1 1 1 1{{$}}
; VALUE: {{^}}1 1{{$}}
(defn main []
  (println "%d %d %d %d" (cast i32 (< (difference 2 3 64) 1e-5)) (cast i32 (< (difference 1 3 48) 1e-5))
    (cast i32 (< (difference 2 1 40) 1e-5)) (cast i32 (< (difference 2 2 136) 1e-5)))
  (println "%d %d" (cast i32 (< (difference 2 3 64 :apart true) 1e-5))
    (cast i32 (< (difference 2 1 40 :apart true) 1e-5))))

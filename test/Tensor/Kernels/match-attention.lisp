; Attention is one kernel however it is written: the order of dimensions, where scale and mask are applied, conversions.
; What nn.attention cannot compute is not that op.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier --emit=tensor %s -o - | lispier-opt --lispier-match-kernels | FileCheck %s --check-prefix=NN
; RUN: lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --convert-elementwise-to-linalg --lispier-form-structures --lispier-simplify-shapes --lispier-fuse-elementwise --canonicalize --cse --lispier-form-groups --lispier-bufferize-tensors --lispier-match-kernels | FileCheck %s --check-prefix=REPEATED
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=KERNEL

; The last query sees all keys: the first one's position is the difference of two sizes.
; CHECK-LABEL: func.func @library(
; CHECK: group.kernel "library_0" kind(attention)
; CHECK-NOT: group.kernel "library
; NN-LABEL: func.func @library(
; NN: nn.attention %{{.*}} at %{{.*}} into %{{[^ ]*}} {group.kernel = "library_0"} :
; KERNEL-LABEL: func.func @library(
; KERNEL: call @__template_nn.attention
(defn library [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32))]
  (attention q k v))

; Tokens before heads, the queries scaled first, 16-bit floats: the softmax is rounded only where it is stored.
; CHECK-LABEL: func.func @rows_first(
; CHECK: kind(attention)
; CHECK-NOT: group.kernel "rows_first
; NN-LABEL: func.func @rows_first(
; NN: nn.attention %arg0, %arg1, %arg2 into %{{[^ ]*}} {group.kernel = "rows_first_0", mask = #nn<mask none>, scale = 2.500000e-01 : f32}
(defn rows_first [(: q (tensor t h 64 bf16)) (: k (tensor s h 64 bf16)) (: v (tensor s h 64 bf16))]
  (einsum "hts,shd->thd" (softmax (einsum "thd,shd->hts" (* 0.25 q) k)) v))

; A position in memory is read by the kernel, from where it lies. The mask is two comparisons, and a large negative number.
; CHECK-LABEL: func.func @window(
; CHECK: kind(attention) ins({{.*}}memref<1xi32>
; CHECK-NOT: group.kernel "window
; NN-LABEL: func.func @window(
; NN: nn.attention %arg0, %arg1, %arg2 at %arg3 into %{{[^ ]*}} {group.kernel = "window_0", scale = 3.000000e-01 : f32, window = 16 : i64}
(defn window [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: first (tensor 1 i32))]
  (def scores (einsum "thd,shd->hts" q k))
  (def i (+ (iota i32 [t 1] :axis 0) (at first 0)))
  (def j (iota i32 [s]))
  (einsum "hts,shd->thd" (softmax (where (and (<= j i) (< (- i j) 16)) (* scores 0.3) -1e30)) v))

; So it is where the mask says what is not seen, and where a comparison follows from the others.
; NN-LABEL: func.func @unseen(
; NN: nn.attention %arg0, %arg1, %arg2 into %{{[^ ]*}} {group.kernel = "unseen_0", scale = 3.000000e-01 : f32, window = 16 : i64}
(defn unseen [(: q (tensor t h 64 f32)) (: k (tensor t h 64 f32)) (: v (tensor t h 64 f32))]
  (def scores (einsum "thd,shd->hts" q k))
  (def [i j] [(iota i32 [t 1] :axis 0) (iota i32 [t])])
  (def hidden (or (> j i) (<= j (- i 16)) (< j 0) (>= j (+ i 3))))
  (einsum "hts,shd->thd" (softmax (where hidden -inf (* scores 0.3))) v))

; A window in memory, such as one of each layer, is read there, too; one that differs from it by 1 is not taken for it.
; NN-LABEL: func.func @stored_window(
; NN: %[[WINDOW:.*]] = memref.expand_shape %arg4
; NN: nn.attention %arg0, %arg1, %arg2 at %{{.*}} window %[[WINDOW]] into %{{[^ ]*}} {group.kernel = "stored_window_0", scale = 3.000000e-01 : f32}
(defn stored_window [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32))
                     (: first (tensor 1 i32)) (: window (tensor i32))]
  (def token (+ first (iota i32 [t 1] :axis 0)))
  (def key (iota i32 [s]))
  (def seen (and (<= key token) (> key (- token window))))
  (einsum "hts,shd->thd" (softmax (where seen (* 0.3 (einsum "thd,shd->hts" q k)) -inf)) v))
; NN-LABEL: func.func @starting_window(
; NN: nn.attention %arg0, %arg1, %arg2 at %{{.*}} window %{{.*}} into
(defn starting_window [(: q (tensor t h 64 f32)) (: k (tensor t h 64 f32)) (: v (tensor t h 64 f32)) (: window (tensor 1 i32))]
  (def token (iota i32 [t 1] :axis 0))
  (def key (iota i32 [t]))
  (einsum "hts,shd->thd" (softmax (where (and (<= key token) (< (- token key) window)) (einsum "thd,shd->hts" q k) -inf)) v))
; NN-LABEL: func.func @longer_window(
; NN-NOT: nn.attention
; NN: return
(defn longer_window [(: q (tensor t h 64 f32)) (: k (tensor t h 64 f32)) (: v (tensor t h 64 f32)) (: window (tensor 1 i32))]
  (def token (iota i32 [t 1] :axis 0))
  (def key (iota i32 [t]))
  (einsum "hts,shd->thd" (softmax (where (and (<= key token) (<= (- token key) window)) (einsum "thd,shd->hts" q k) -inf)) v))

; Nor is at most 1000 of it, or of a position.
; NN-LABEL: func.func @limited_window(
; NN-NOT: nn.attention
; NN: return
(defn limited_window [(: q (tensor t h 64 f32)) (: k (tensor t h 64 f32)) (: v (tensor t h 64 f32)) (: window (tensor 1 i32))]
  (def token (iota i32 [t 1] :axis 0))
  (def key (iota i32 [t]))
  (def seen (and (<= key token) (< (- token key) (min window 1000))))
  (einsum "hts,shd->thd" (softmax (where seen (einsum "thd,shd->hts" q k) -inf)) v))
; NN-LABEL: func.func @limited_position(
; NN-NOT: nn.attention
; NN: return
(defn limited_position [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: first (tensor 1 i32))]
  (def seen (<= (iota i32 [s]) (+ (min first 1000) (iota i32 [t 1] :axis 0))))
  (einsum "hts,shd->thd" (softmax (where seen (einsum "thd,shd->hts" q k) -inf)) v))

; A position without dimensions, heads from parts of a row, and a head size that is a quotient.
; CHECK-LABEL: func.func @parts(
; CHECK: kind(attention)
; NN-LABEL: func.func @parts(
; NN: nn.attention %{{.*}} at %{{[^ ]*}} into %{{[^ ]*}} {group.kernel = "parts_{{.}}"} :
(defn by-head [x & {:count 2}] (transpose (reshape x [(dim x 0) count (/ (dim x 1) count)]) [1 0 2]))
(defn parts [(: x (tensor t c f32)) (: keys (tensor 4 s d f32)) (: values (tensor 4 s d f32)) (: first (tensor i32))]
  (def [q k] (split x 2 :axis 1))
  (def seen (<= (iota i32 [s]) (+ first (iota i32 [t 1] :axis 0))))
  (def h (by-head q :count 4))
  (def scores (* (rsqrt (cast f32 (dim h 2))) (einsum "htd,hsd->hts" h keys)))
  (einsum "hts,hsd->thd" (softmax (where seen scores -inf)) values))

; The default scale, with a head size that only the call knows, and one mask for two.
; CHECK-LABEL: func.func @two(
; CHECK-COUNT-2: kind(attention)
; CHECK-NOT: group.kernel "two
; NN-LABEL: func.func @two(
; NN: nn.attention %{{[^{]*}} {group.kernel = "two_0"} :
; NN: nn.attention %{{[^{]*}} {group.apart = {{.*}}, group.kernel = "two_1"} :
(defn two [(: q (tensor h t d f32)) (: k (tensor h t d f32)) (: v (tensor h t d f32))]
  (def mask (<= (iota index [t]) (iota index [t 1] :axis 0)))
  (def scale (/ 1.0 (sqrt (cast f32 d))))
  (def once (einsum "hts,hsd->htd" (softmax (where mask (* scale (einsum "htd,hsd->hts" q k)) -inf)) v))
  (einsum "hts,hsd->htd" (softmax (where mask (* scale (einsum "htd,hsd->hts" once k)) -inf)) v))

; A product with the root of the head size is not the default scale, which is a quotient by it.
; CHECK-LABEL: func.func @"times-root"(
; CHECK: kind(attention)
; NN-LABEL: func.func @"times-root"(
; NN-NOT: nn.attention
; NN: group.kernel "times-root_0" kind(attention)
(defn times-root [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (einsum "hts,hsd->htd" (softmax (* (sqrt (cast f32 d)) (einsum "htd,hsd->hts" q k))) v))

; Several heads of queries for each of keys, as two dimensions that are one in memory, and by copies of keys and values,
; which are then not made. A conversion is before a change of the shape.
; CHECK-LABEL: func.func @grouped(
; CHECK: kind(attention)
; NN-LABEL: func.func @grouped(
; NN: %[[HEADS:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]]
; NN: nn.attention %[[HEADS]], %{{.*}}, %{{.*}} into %{{[^ ]*}} {group.kernel = "grouped_0", mask = #nn<mask none>, scale = 1.250000e-01 : f32}
(defn grouped [(: q (tensor t h d bf16)) (: k (tensor g s d bf16)) (: v (tensor g s d bf16))]
  (def scores (einsum "tgrd,gsd->grts" (reshape q [t g (/ h g) d]) k))
  (cast bf16 (reshape (einsum "grts,gsd->tgrd" (softmax (* 0.125 scores)) v) [t h d])))
; CHECK-LABEL: func.func @copied(
; CHECK-NOT: kind(copy)
; CHECK: kind(attention)
; CHECK-NOT: kind(copy)
; CHECK: return
; REPEATED-LABEL: func.func @copied(
; REPEATED-NOT: group.kernel "copied
; REPEATED: %[[K:.*]] = memref.transpose %arg1
; REPEATED: %[[V:.*]] = memref.transpose %arg2
; REPEATED: nn.attention %{{.*}}, %[[K]], %[[V]] into
(defn copied [(: q (tensor 12 t 64 f32)) (: k (tensor 4 s 64 f32)) (: v (tensor 4 s 64 f32))]
  (def keys (reshape (broadcast (reshape k [4 1 s 64]) [4 3 s 64]) [12 s 64]))
  (def values (reshape (broadcast (reshape v [4 1 s 64]) [4 3 s 64]) [12 s 64]))
  (einsum "hts,hsd->htd" (softmax (einsum "htd,hsd->hts" q keys)) values))

; A scale that only the call knows multiplies the queries, in the op that makes them; one in memory is read by a tile
; program.
; CHECK-LABEL: func.func @scaled_at_call(
; CHECK: group.kernel "scaled_at_call_0" kind(elementwise) ins(%arg0
; CHECK: arith.addf
; CHECK: arith.mulf
; CHECK: kind(attention)
; CHECK-NOT: group.kernel "scaled_at_call
; NN-LABEL: func.func @scaled_at_call(
; NN: nn.attention {{.*}} into %{{[^ ]*}} {{{.*}}group.kernel = "scaled_at_call_1", mask = #nn<mask none>} :
(defn scaled_at_call [(: q (tensor t h d f32)) (: k (tensor g s d bf16)) (: v (tensor g s d bf16)) (: scale f32)]
  (def queries (reshape (cast bf16 (+ q 1.0)) [t g (/ h g) d]))
  (def scores (* scale (einsum "tgrd,gsd->grts" queries k :out f32)))
  (cast bf16 (einsum "grts,gsd->tgrd" (softmax scores) v :out f32)))
; NN-LABEL: func.func @scaled_in_memory(
; NN-NOT: nn.attention
; NN: return
(defn scaled_in_memory [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 64 f32)) (: scale (tensor f32))]
  (einsum "hts,hsd->htd" (softmax (* scale (einsum "htd,hsd->hts" q k))) v))

; Heads in turns, one of each key's after the other, are not neighbours; copies in turns are other heads; a mask that
; depends on which head of a key it is.
; CHECK-LABEL: func.func @interleaved(
; CHECK: kind(attention)
; NN-LABEL: func.func @interleaved(
; NN-NOT: nn.attention
; NN: return
(defn interleaved [(: q (tensor t r g 64 f32)) (: k (tensor g s 64 f32)) (: v (tensor g s 64 f32))]
  (einsum "grts,gsd->trgd" (softmax (einsum "trgd,gsd->grts" q k)) v))
; REPEATED-LABEL: func.func @in_turns(
; REPEATED: group.kernel "in_turns
; REPEATED: nn.attention
(defn in_turns [(: q (tensor 12 t 64 f32)) (: k (tensor 4 s 64 f32)) (: v (tensor 4 s 64 f32))]
  (def keys (reshape (broadcast (reshape k [1 4 s 64]) [3 4 s 64]) [12 s 64]))
  (def values (reshape (broadcast (reshape v [1 4 s 64]) [3 4 s 64]) [12 s 64]))
  (einsum "hts,hsd->htd" (softmax (einsum "htd,hsd->hts" q keys)) values))
; CHECK-LABEL: func.func @by_shared(
; CHECK: kind(attention)
; NN-LABEL: func.func @by_shared(
; NN-NOT: nn.attention
; NN: return
(defn by_shared [(: q (tensor t g r 64 f32)) (: k (tensor g s 64 f32)) (: v (tensor g s 64 f32))]
  (def scores (einsum "tgrd,gsd->grts" q k))
  (def seen (<= (iota index [s]) (+ (iota index [t 1] :axis 0) (iota index [r 1 1] :axis 0))))
  (einsum "grts,gsd->tgrd" (softmax (where seen scores -inf)) v))

; Batches and heads that are one dimension in memory; where tokens lie between them, they are not. Values of another size
; than keys are those of no kernel, which read others before.
; NN-LABEL: func.func @batches(
; NN: memref.collapse_shape %arg0 {{\[}}[0, 1], [2], [3]]
; NN: memref.collapse_shape %arg1 {{\[}}[0, 1], [2], [3]]
; NN: nn.attention {{.*}} {group.kernel = "batches_0", scale = 3.000000e-01 : f32}
(defn batches [(: q (tensor b h t 64 f32)) (: k (tensor b h t 64 f32)) (: v (tensor b h t 64 f32))]
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (einsum "bhts,bhsd->bhtd" (softmax (where seen (* 0.3 (einsum "bhtd,bhsd->bhts" q k)) -inf)) v))
; CHECK-LABEL: func.func @tokens_between(
; CHECK: kind(attention)
; NN-LABEL: func.func @tokens_between(
; NN-NOT: nn.attention
; NN: return
(defn tokens_between [(: q (tensor b t h 64 f32)) (: k (tensor b s h 64 f32)) (: v (tensor b s h 64 f32))]
  (einsum "bhts,bshd->bthd" (softmax (einsum "bthd,bshd->bhts" q k)) v))
; NN-LABEL: func.func @other_values(
; NN-NOT: nn.attention
; NN: return
(defn other_values [(: q (tensor h t 64 f32)) (: k (tensor h s 64 f32)) (: v (tensor h s 32 f32))]
  (einsum "hts,hsd->htd" (softmax (einsum "htd,hsd->hts" q k)) v))

; Of 16-bit floats, where all positions are seen, the tile program is the faster one (H200: 192 heads of 512 tokens take 60
; us, and took 300).
; KERNEL-LABEL: func.func @all_seen(
; KERNEL-NOT: call @__template_nn.attention
; KERNEL: return
(defn all_seen [(: q (tensor h t 64 bf16)) (: k (tensor h s 64 bf16)) (: v (tensor h s 64 bf16))]
  (einsum "hts,hsd->htd" (softmax (einsum "htd,hsd->hts" q k)) v))

; A soft cap, a bias, and a mask the other way are changes of scores that nn.attention does not have; a softmax along the
; queries is no attention.
; CHECK-LABEL: func.func @cap(
; CHECK: kind(attention)
; NN-LABEL: func.func @cap(
; NN-NOT: nn.attention
; NN: return
(defn cap [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32))]
  (einsum "hts,shd->thd" (softmax (* 30.0 (tanh (/ (einsum "thd,shd->hts" q k) 30.0)))) v))
; CHECK-LABEL: func.func @biased(
; CHECK: kind(attention)
; NN-LABEL: func.func @biased(
; NN-NOT: nn.attention
; NN: return
(defn biased [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: b (tensor t s f32))]
  (einsum "hts,shd->thd" (softmax (+ b (einsum "thd,shd->hts" q k))) v))
; CHECK-LABEL: func.func @anticausal(
; CHECK: kind(attention)
; NN-LABEL: func.func @anticausal(
; NN-NOT: nn.attention
; NN: return
(defn anticausal [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32))]
  (def seen (>= (iota index [s]) (iota index [t 1] :axis 0)))
  (einsum "hts,shd->thd" (softmax (where seen (einsum "thd,shd->hts" q k) -inf)) v))
; CHECK-LABEL: func.func @of_queries(
; CHECK-NOT: kind(attention)
(defn of_queries [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32))]
  (einsum "hts,shd->thd" (softmax (einsum "thd,shd->hts" q k) :axis 1) v))
; The scale depends on a number of another tensor's rows.
; CHECK-LABEL: func.func @scaled_by_size(
; CHECK: kind(attention)
; NN-LABEL: func.func @scaled_by_size(
; NN-NOT: nn.attention
; NN: return
(defn scaled_by_size [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: n (tensor m f32))]
  (def scale (/ 1.0 (sqrt (cast f32 (dim n 0)))))
  (einsum "hts,shd->thd" (softmax (* scale (einsum "thd,shd->hts" q k))) v))
; The weights are also a result.
; CHECK-LABEL: func.func @and_weights(
; CHECK-NOT: kind(attention)
(defn and_weights [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32))]
  (def w (softmax (einsum "thd,shd->hts" q k)))
  [w (einsum "hts,shd->thd" w v)])

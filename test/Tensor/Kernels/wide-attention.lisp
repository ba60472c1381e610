; Causal attention of heads of 128 and 256 that gives each multiprocessor a block of tokens is generated, by rings, with weights
; rounded as nn.attention rounds them; not that of smaller or fewer heads, at a position, or of sizes that only the run
; knows, nor that of a chip without rings.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=AMPERE
; RUN: lispier --emit=tiles --target=cuda:sm_90a --why-kernel=nn.attention %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
(defn attended [q k v]
  (def scores (* 0.09 (einsum "htd,hsd->hts" q k :out f32)))
  (def last (+ (iota index [(dim q 1) 1] :axis 0) (- (dim k 1) (dim q 1))))
  (def weights (softmax (where (<= (iota index [(dim k 1)]) last) scores -inf)))
  (cast bf16 (einsum "hts,hsd->htd" weights v :out f32)))

; CHECK-LABEL: func.func @large(
; CHECK-NOT: nn.attention
; CHECK: gpu.launch_func @groups::@large_0
; AMPERE-LABEL: func.func @large(
; AMPERE: nn.attention
; WHY: kernel large_0, of the kind `wide-attention`, is generated: none of
; WHY: it does not compete with generated kernels for attention of large heads that gives each multiprocessor a block
(defn large [(: q (tensor 32 1024 128 bf16)) (: k (tensor 32 1024 128 bf16)) (: v (tensor 32 1024 128 bf16))]
  (attended q k v))
; CHECK-LABEL: func.func @larger(
; CHECK-NOT: nn.attention
; CHECK: gpu.launch_func @groups::@larger_0
(defn larger [(: q (tensor 32 1024 256 bf16)) (: k (tensor 32 1024 256 bf16)) (: v (tensor 32 1024 256 bf16))]
  (attended q k v))
; CHECK-LABEL: func.func @small(
; CHECK: nn.attention
(defn small [(: q (tensor 32 1024 64 bf16)) (: k (tensor 32 1024 64 bf16)) (: v (tensor 32 1024 64 bf16))]
  (attended q k v))
; CHECK-LABEL: func.func @few(
; CHECK: nn.attention
(defn few [(: q (tensor 16 1024 128 bf16)) (: k (tensor 16 1024 128 bf16)) (: v (tensor 16 1024 128 bf16))]
  (attended q k v))
; CHECK-LABEL: func.func @later(
; CHECK: nn.attention
(defn later [(: q (tensor 32 1024 128 bf16)) (: k (tensor 32 2048 128 bf16)) (: v (tensor 32 2048 128 bf16))]
  (attended q k v))
; CHECK-LABEL: func.func @unknown(
; CHECK: nn.attention
(defn unknown [(: q (tensor 32 t 128 bf16)) (: k (tensor 32 t 128 bf16)) (: v (tensor 32 t 128 bf16))]
  (attended q k v))
; CHECK: gpu.func @large_0({{.*}}ring = true

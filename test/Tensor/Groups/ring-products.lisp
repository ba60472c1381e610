; Where rings multiply, a kernel has no place for several elements for one of a large product's result, as the gradient
; of gated units has: it stores the result rounded, and another one reads that.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefixes=CHECK,RING
; RUN: lispier --emit=tensor --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefixes=CHECK,NONE

(require-dialect linalg)

; CHECK-LABEL: func.func @gradient(
; RING: group.kernel "gradient_0" kind(contraction) {{.*}} outs(%{{[^ ,]*}} : memref<2048x2048xbf16{{[^,]*}}>)
; RING: arith.truncf
; RING: group.kernel "gradient_1" {{.*}} outs(%{{[^ ,]*}} : memref<2048x2x2048xbf16>) {{.*}}"not in gradient_0: a ring makes the product, and has no place for several elements for one of its result"
; RING-NOT: group.kernel
; NONE: group.kernel {{.*}} kind(contraction) {{.*}} outs(%{{[^ ,]*}} : memref<2048x2x2048xbf16
; CHECK: return
(defn gradient [(: dy (tensor 2048 64 bf16)) (: w (tensor 64 2048 bf16)) (: both (tensor 2048 4096 bf16))]
  (def dh (cast f32 (cast bf16 (einsum "nk,kf->nf" dy w :out f32))))
  (def [gate up] (split (cast f32 both) 2 :axis 1))
  (concat (cast bf16 (* dh up)) (cast bf16 (* dh gate)) :axis 1))

; What is stored in F32 is not rounded, and small products have no ring.
; CHECK-LABEL: func.func @wide(
; CHECK: group.kernel {{.*}} kind(contraction) {{.*}} outs(%{{[^ ,]*}} : memref<2048x2x2048xf32
; CHECK: return
(defn wide [(: dy (tensor 2048 64 bf16)) (: w (tensor 64 2048 bf16)) (: both (tensor 2048 4096 bf16))]
  (def dh (einsum "nk,kf->nf" dy w :out f32))
  (def [gate up] (split (cast f32 both) 2 :axis 1))
  (concat (* dh up) (* dh gate) :axis 1))
; CHECK-LABEL: func.func @small(
; CHECK: group.kernel {{.*}} kind(contraction) {{.*}} outs(%{{[^ ,]*}} : memref<64x2x64xbf16
; CHECK: return
(defn small [(: dy (tensor 64 64 bf16)) (: w (tensor 64 64 bf16)) (: both (tensor 64 128 bf16))]
  (def dh (cast f32 (cast bf16 (einsum "nk,kf->nf" dy w :out f32))))
  (def [gate up] (split (cast f32 both) 2 :axis 1))
  (concat (cast bf16 (* dh up)) (cast bf16 (* dh gate)) :axis 1))

; What reads the product itself as well is one op with what widens it.
; CHECK-LABEL: func.func @twice(
; RING: group.kernel "twice_0" kind(contraction) {{.*}} outs(%{{[^ ,]*}} : memref<2048x2048xbf16>)
; RING: group.kernel "twice_1" kind(elementwise) ins(%{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : memref<2048x2048xbf16>
; CHECK: return
(defn twice [(: dy (tensor 2048 64 bf16)) (: w (tensor 64 2048 bf16)) (: both (tensor 2048 4096 bf16))]
  (def exact (einsum "nk,kf->nf" dy w :out f32))
  (def rounded (cast f32 (cast bf16 exact)))
  (def [gate up] (split (cast f32 both) 2 :axis 1))
  (def double (cast f32 (cast bf16 (* 2.0 (cast f32 (cast bf16 exact))))))
  (concat (cast bf16 (* (+ rounded double) up)) (cast bf16 (* rounded gate)) :axis 1))

; Products in memory, whose ops have no results, are as they were.
; CHECK-LABEL: func.func @in_memory(
; CHECK: linalg.matmul
(defn in_memory [(: a memref<2048x64xbf16>) (: b memref<64x2048xbf16>) (: c memref<2048x2048xf32>)]
  (linalg.matmul a b c))

(defn main [] 0)

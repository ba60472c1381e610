; What may become a fused multiply-add, as examples/tour/01-values.lisp says: in code for CPUs math.fma and products of
; matrices, in kernels on GPUs every product that is added.
; RUN: lispier --emit=asm --cpu=x86-64-v3 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; REQUIRES: avx2
(require-dialect linalg math memref)

; CHECK-LABEL: {{^}}separate:
; CHECK-NOT: vfmadd
; CHECK: vmulsd
; CHECK-NEXT: vaddsd
(defn separate [(: a f64) (: b f64) (: c f64)] -> f64 (+ (* a b) c))
; CHECK-LABEL: {{^}}fused:
; CHECK: vfmadd{{[0-9]+}}sd
(defn fused [(: a f64) (: b f64) (: c f64)] -> f64 (math.fma a b c))
; CHECK-LABEL: {{^}}product:
; CHECK: vfmadd{{[0-9]+}}ps
(defn product [(: a memref<8x8xf32>) (: b memref<8x8xf32>) (: c memref<8x8xf32>)]
  (linalg.matmul {:ins 2 :outs 1} a b c))

; PTX-LABEL: .entry scale
; PTX: fma.rn.f32
(defkernel scale [(: x memref<?xf32>) (: a f32) (: b f32)]
  (memref.store (+ (* (memref.load x (thread-id :x)) a) b) x (thread-id :x)))
(defn main []
  (def x (device-alloc memref<?xf32> [32]))
  (launch scale {:grid [1] :block [32]} x 2.0 1.0))

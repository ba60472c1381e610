; RUN: lispier --emit=loops --target=cuda %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx1151 %s -o %t.hsaco
(require-dialect nn memref)

; A template for GPUs launches a kernel of its own; it takes the place of the op, and one that is for the CPU does not.
; CHECK: gpu.func @double
; CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
; CHECK: gpu.launch_func @kernels::@double blocks in {{.*}} threads in (%c128
; CHECK-NOT: gpu.launch_func
; PTX: .entry double(
; PTX-NOT: .entry
(defkernel double [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: out memref<?x?xf32>)]
  (def row (block-id :x))
  (for [c (thread-id :x) (memref.dim out 1) (block-dim :x)]
    (memref.store (+ (memref.load a row c) (memref.load b row c)) out row c)))

(deftemplate nn.add {:for [cpu]} [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: out memref<?x?xf32>)]
  (memref.store 0.0 out 0 0))
(deftemplate nn.add {:for [gpu]} [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: out memref<?x?xf32>)]
  (launch double {:grid [(memref.dim out 0)] :block [128]} a b out))

(defn main [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (nn.add x x y))

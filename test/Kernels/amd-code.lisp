; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.942.hsaco
; RUN: llvm-objdump -d %t.942.hsaco > %t.942 && FileCheck %s --input-file=%t.942 --check-prefixes=CODE,CDNA
; RUN: lispier --emit=hsaco --target=rocm:gfx1100 %s -o %t.1100.hsaco
; RUN: llvm-objdump -d %t.1100.hsaco > %t.1100 && FileCheck %s --input-file=%t.1100 --check-prefixes=CODE,RDNA
; RUN: lispier --emit=loops --target=rocm:gfx942 %s | FileCheck %s --check-prefix=GRID

; On AMD's GPUs rows of weights are read 16 bytes at a time, and no load is waited for before the next has begun.
(require-dialect nn memref)

; 768 columns are a warp's: 64 lanes have two pieces of 8, of 3 rows and of x. Four warps to a block, so 12 rows.
; GRID-LABEL: func.func @"one-token"
; GRID: gpu.launch_func @kernels::@gemv blocks in (%c8, {{.*}}) threads in (%c256
; CODE-LABEL: <gemv>:
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; RDNA: global_load_b128
; RDNA-NOT: vmcnt
; RDNA: global_load_b128
; RDNA-NOT: vmcnt
; RDNA: global_load_b128
; RDNA-NOT: vmcnt
; RDNA: global_load_b128
; The sums of a warp: operands of other lanes, not shuffles.
; CODE-NOT: ds_{{bpermute|swizzle}}
; CODE: v_add_f32_dpp
; CODE-NOT: ds_{{bpermute|swizzle}}
; CODE: s_endpgm
(defn one-token [(: x memref<1x768xbf16>) (: w memref<96x768xbf16>) (: bias memref<96xbf16>) (: out memref<1x96xbf16>)]
  (nn.linear {:activation "gelu_tanh" :constant_weights true} x w [bias] [] out))

; Weights of F32, of which matrix units have no products: both tiles are on their way before either is put into shared
; memory.
; CODE-LABEL: <gemm>:
; CDNA: global_load_dwordx4
; CDNA-NOT: vmcnt
; CDNA: global_load_dwordx4
; RDNA: global_load_b128
; RDNA-NOT: vmcnt
; RDNA: global_load_b128
; CODE: ds_{{store|write}}
; CODE: s_barrier
(defn tokens [(: x memref<100x768xf32>) (: w memref<96x768xf32>) (: out memref<100x96xf32>)]
  (nn.linear x w [] [] out))

; A normalised row is held in registers: no shared memory, no barrier.
; CODE-LABEL: <norm_gemv>:
; CODE-NOT: s_barrier
; CODE: v_add_f32_dpp
; CODE-NOT: s_barrier
; CODE: s_endpgm
(defn normalised [(: x memref<1x768xf32>) (: g memref<768xbf16>) (: b memref<768xbf16>) (: normed memref<1x768xf32>)
                  (: w memref<96x768xbf16>) (: out memref<1x96xf32>)]
  (nn.norm_linear x g b (: 1e-5 f32) normed w [] [] out))

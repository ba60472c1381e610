; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx
; RUN: FileCheck %s --input-file=%t.ptx
; RUN: FileCheck %s --input-file=%t.ptx --check-prefix=NONE
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO

; What the kernels for one token are made of: accesses of 16 bytes, sums by shuffles, nothing on the stack of a thread. That
; the numbers are right is checked by the other files of this folder on the simulator, and by tools/dev/gpu-check on GPUs.
(require-dialect nn memref)

; NONE-NOT: .local
; NONE-NOT: call
; HSACO-DAG: <gemv>:
; HSACO-DAG: global_load_dwordx4
; HSACO-DAG: <attention_one>:

; CHECK: .entry attention_one(
; CHECK-COUNT-8: ld.global.v4.b32
; CHECK: shfl.sync.bfly
; CHECK: st.shared.v4.b32
; CHECK: bar.sync
(defn attend [(: q memref<1x?x64xbf16>) (: k memref<1x?x64xbf16>) (: v memref<1x?x64xbf16>) (: keys memref<?x?x64xbf16>)
              (: values memref<?x?x64xbf16>) (: position memref<1xi32>) (: out memref<1x?x64xbf16>)]
  (nn.attention q k v keys values position out))

; CHECK: .entry gemv(
; CHECK: ld.global.v4.b32
; CHECK: fma.rn.f32
; CHECK-COUNT-5: shfl.sync.bfly
(defn layer [(: x memref<1x768xbf16>) (: w memref<?x768xbf16>) (: bias memref<?xbf16>) (: out memref<1x?xbf16>)]
  (nn.linear {:activation "gelu_tanh"} x w [bias] [] out))

(defn logits [(: x memref<1x768xbf16>) (: w memref<?x768xbf16>) (: out memref<1x?xf32>)]
  (nn.linear x w [] [] out))

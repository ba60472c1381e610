; Kernels that begin before the work before them is done: weights that nobody writes are asked for before the wait, others
; after it.
; RUN: rm -f ./-.json
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=OLD
; Standard output has no description beside it.
; RUN: not ls ./-.json
(require-dialect nn memref)

; OLD-NOT: griddepcontrol

; CHECK-LABEL: .entry gemv(
; CHECK: griddepcontrol.launch_dependents
; CHECK: ld.global.v4.b32
; CHECK: griddepcontrol.wait
; CHECK: ld.global.v4.b32
(defn early [(: x memref<1x768xbf16>) (: w memref<96x768xbf16>) (: out memref<1x96xbf16>)]
  (nn.linear {:constant_weights true} x w [] [] out))

; CHECK-LABEL: .entry gemv_1(
; CHECK: griddepcontrol.launch_dependents
; CHECK-NOT: ld.global
; CHECK: griddepcontrol.wait
; CHECK: ld.global.v4.b32
(defn late [(: x memref<1x768xbf16>) (: w memref<96x768xbf16>) (: out memref<1x96xbf16>)]
  (nn.linear x w [] [] out))

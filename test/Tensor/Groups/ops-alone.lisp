; --fuse=false makes a kernel of each op: what a program of fused kernels is compared with.
; RUN: lispier --emit=tensor --explain --fuse=false %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tensor --explain %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED --implicit-check-not="kernel main_1"
; RUN: lispier run --fuse=false %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --fuse=false --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: not lispier run --fuse=maybe %s 2>&1 | FileCheck %s --check-prefix=WRONG
; WRONG: --fuse

; CHECK: kernel main_1, elementwise
; CHECK: kernel main_2, elementwise
; CHECK: not in main_{{[0-9]}}: each op is a kernel
; FUSED: kernel main_0, row
; VALUE: {{^f32 \[\] 6$}}
(defn main [] (println (sum (* 0.5 (+ 1.0 (iota f32 [4]) (full f32 [4] 0.5))))))

; The passes that select kernels are in the one list: implementations are added after the tensor phase, whose groups say
; which are needed, and --print-ir-after shows them.
; RUN: lispier --emit=tiles --print-ir-after=lispier-match-kernels --print-ir-after=lispier-add-kernels %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --print-pipeline %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
; CHECK: IR Dump After MatchKernels
; CHECK: nn.linear
; CHECK-NOT: nn.template
; CHECK: IR Dump After AddKernels
; CHECK: nn.linear
; CHECK: func.func {{.*}} attributes {{.*}}nn.template = "nn.linear"

; LIST: builtin.module({{.*}}lispier-match-kernels{{.*}}lispier-plan-memory{{.*}}lispier-add-kernels{{.*}}lispier-select-templates
; LIST-NOT: builtin.module(lispier-narrow-indices

; lispier-opt has no library: the pass leaves nn ops to what the program has.
; RUN: lispier --emit=tensor %s -o - | lispier-opt --lispier-match-kernels --lispier-add-kernels | FileCheck %s --check-prefix=NONE
; NONE: nn.linear
; NONE-NOT: nn.template

; A reproducer has the implementations that lispier-opt could not add.
; RUN: lispier --emit=tiles --reproducer=%t.mlir %s -o %t.tiles
; RUN: FileCheck %s --input-file=%t.mlir --check-prefix=AGAIN
; RUN: lispier-opt %t.mlir | sed '/^$/d' | diff %t.tiles -
; AGAIN: nn.template = "nn.linear"
; AGAIN: pipeline: "builtin.module(
; AGAIN-NOT: lispier-add-kernels
(defn project [(: x (tensor t c f32)) (: w (tensor n c bf16)) (: b (tensor n bf16))] (linear x w b))

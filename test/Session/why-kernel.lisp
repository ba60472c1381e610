; RUN: lispier --emit=loops --target=cuda:sm_80 --why-kernel=nn.attention %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=asm --why-kernel=nn.attention %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
; RUN: not lispier --emit=loops --why-kernel=nn.atention %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN

; Why an op has its kernel: each implementation that comes with us or stands in the program, where it is, and the first
; reason against it. Those that are generated and those of which no body is looked at are asked the same question.
(require-dialect nn memref)

; A head of 80 has no kernel for tensor cores.
; CHECK: why-kernel.lisp:[[#@LINE+9]]:{{[0-9]+}}: nn.attention is computed by one of {{[0-9]+}} implementations
; CHECK-DAG: {{^}}  prelude/kernels/gpu-attention.lisp:{{[0-9]+}}:1: operand 0 has size 80 in dimension 2, it has code for 64, 128
; CHECK-DAG: {{^}}  prelude/kernels/gpu-attention.lisp:{{[0-9]+}}:1: operand 0 is memref<4x4x80xbf16>, it takes memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
; CHECK-DAG: {{^}}  prelude/kernels/gpu-attention.lisp:{{[0-9]+}}:1: operand 3 is memref<2x?x80xbf16>, it takes memref<0x0x0xbf16>
; CHECK-DAG: {{^}}  prelude/kernels/gpu-attention.lisp:{{[0-9]+}}:1: this one is taken
; CHECK-DAG: {{^}}  prelude/kernels/attention.lisp:{{[0-9]+}}:1: it is for cpu
; CPU-DAG: {{^}}  prelude/kernels/attention.lisp:{{[0-9]+}}:1: this one is taken
; CPU-DAG: {{^}}  prelude/kernels/gpu-attention.lisp:{{[0-9]+}}:1: it is for gpu
(defn of-80 [(: q memref<4x4x80xbf16>) (: k memref<4x2x80xbf16>) (: keys memref<2x?x80xbf16>) (: values memref<2x?x80xbf16>) (: position memref<1xi32>) (: out memref<4x4x80xbf16>)]
  (nn.attention q k k keys values position out))

; What a formula becomes is at its lines.
; RUN: lispier --emit=asm --why-kernel=nn.linear %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMULA
; FORMULA: why-kernel.lisp:[[#@LINE+1]]:{{[0-9]+}}: nn.linear is computed by one of
(defn product [(: x (tensor 1 64 f32)) (: w (tensor 64 64 bf16))] (relu (einsum "tk,nk->tn" x w)))

; UNKNOWN: error[op-unknown]: there is no op `nn.atention` to have a kernel
; UNKNOWN: did you mean `nn.attention`

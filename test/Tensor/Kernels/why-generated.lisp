; --why-kernel also says of a group of tensor ops which implementation of its kind it has, and why not the others.
; RUN: lispier --emit=tiles --target=cuda:sm_90a --why-kernel=nn.linear --why-kernel=nn.layer_norm %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --why-kernel=nn.layer_norm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU

; With weights of F32 only a product of one row is hand-written.
; CHECK: :[[#@LINE+6]]:{{[0-9]+}}: kernel several_0, of the kind `product`, is generated: none of {{[0-9]+}} implementations of nn.linear
; CHECK-DAG: {{^}}  prelude/kernels/gpu-linear.lisp:{{[0-9]+}}:1: it does not compete with generated kernels for products of several rows
; CHECK-DAG: {{^}}  prelude/kernels/gpu-linear.lisp:{{[0-9]+}}:1: operand 1 is memref<?x?xf32>, it takes memref<?x?xbf16, strided<[?, 1], offset: ?>>
; CHECK-DAG: {{^}}  prelude/kernels/linear.lisp:{{[0-9]+}}:1: it is for cpu
; CHECK: kernel several_0, of the kind `one-row-product`, is hand-written: one of {{[0-9]+}} implementations of nn.linear
; CHECK: {{^}}  prelude/kernels/gpu-linear.lisp:{{[0-9]+}}:1: this one is taken
(defn several [(: x (tensor t c f32)) (: w (tensor n c f32))] (einsum "tc,nc->tn" x w))

; A layer norm alone is hand-written on a CPU only.
; CHECK: :[[#@LINE+5]]:{{[0-9]+}}: kernel normed_0, of the kind `layer-norm`, is generated: none of {{[0-9]+}} implementations of nn.layer_norm
; CHECK-DAG: {{^}}  prelude/kernels/gpu-rows.lisp:{{[0-9]+}}:1: it does not compete with generated kernels for layer norms
; CHECK-DAG: {{^}}  prelude/kernels/rows.lisp:{{[0-9]+}}:1: it is for cpu
; CPU: kernel normed_0, of the kind `layer-norm`, is hand-written: one of {{[0-9]+}} implementations of nn.layer_norm
; CPU: {{^}}  prelude/kernels/rows.lisp:{{[0-9]+}}:1: this one is taken
(defn normed [(: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16))] (layer-norm x g b))

; A product alone that gives each multiprocessor two tiles of 128 x 256.
; CHECK: :[[#@LINE+2]]:{{[0-9]+}}: kernel filling_0, of the kind `wide-product`, is generated: none of
; CHECK: it does not compete with generated kernels for products that give each multiprocessor several large tiles
(defn filling [(: x (tensor 4096 64 bf16)) (: w (tensor 4096 64 bf16))] (einsum "tc,nc->tn" x w :out f32))

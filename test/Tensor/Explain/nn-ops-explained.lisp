; An nn op that a program writes on tensors is a kernel with a name.
; RUN: lispier --emit=tensor --target=sim:sm_90a --explain %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=PTX
(require-dialect nn)

; CHECK: :[[# @LINE + 4]]:{{[0-9]+}}: kernel layer_0, elementwise: line [[# @LINE + 4]]
; CHECK: :[[# @LINE + 3]]:{{[0-9]+}}: kernel layer_1, nn.gelu: line [[# @LINE + 3]]
; CHECK: hand-written; --why-kernel=nn.gelu names the implementation
; PTX: .target sm_90a
(defn layer [(: x (tensor t k f32))] (nn.gelu (exp x) (zeros f32 [t k])))

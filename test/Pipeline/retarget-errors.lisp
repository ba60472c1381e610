; RUN: not lispier --pipeline=file --emit=ptx --target=cuda %s 2>&1 | FileCheck %s

; CHECK: [[#@LINE+2]]:{{.*}}: error[target-mismatch]: these passes are for `cpu`, and the target is `cuda`
; CHECK: hint: --pipeline=default takes Lispier's own passes for GPUs
(compilation (target cpu (pass convert-linalg-to-loops)))
(defn main [] (def x (: 1 i32)))

; RUN: not lispier --emit=module %s 2>&1 | FileCheck %s

(require-dialect nn memref)

; CHECK: [[#@LINE+2]]:{{.*}} error[op-unknown]: `nn` has no op `linaer`
; CHECK: did you mean `nn.linear`
(deftemplate nn.linaer {:for [cpu]} [(: x "memref<?xf32>")] (memref.dim x 0))

; CHECK: [[#@LINE+1]]:{{.*}} error[attr-unknown]: `nn.softmax` has no attribute `epsilon`
(deftemplate nn.softmax {:for [cpu] :attrs [epsilon]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")]
  (memref.dim x 0))

; CHECK: [[#@LINE+1]]:{{.*}} error[macro-shape]: `:for` names the targets of the template
(deftemplate nn.softmax {} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (memref.dim x 0))

; CHECK: [[#@LINE+1]]:{{.*}} error[macro-shape]: `deftemplate` does not know `:when`
(deftemplate nn.softmax {:for [cpu] :when fast} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (memref.dim x 0))

; CHECK: [[#@LINE+1]]:{{.*}} error[macro-shape]: `:sizes` is {{\[\[}}parameter dimension size ...] ...]
(deftemplate nn.softmax {:for [cpu] :sizes [[y 0 64]]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (memref.dim x 0))
; CHECK: [[#@LINE+1]]:{{.*}} error[macro-shape]: `:sizes` is
(deftemplate nn.softmax {:for [cpu] :sizes [[x 2 64]]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (memref.dim x 0))

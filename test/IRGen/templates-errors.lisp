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

; A kind of group that does not exist, that another op computes, and an op that computes none.
; CHECK: [[#@LINE+2]]:45: error[group-unknown]: `prodct` is no kind of group of tensor ops that `nn.linear` computes
; CHECK: did you mean `product`
(deftemplate nn.linear {:for [cpu] :groups [prodct]} [(: x "memref<?x?xf32>")] (memref.dim x 0))
; CHECK: [[#@LINE+2]]:61: error[group-unknown]: `attention` is no kind of group of tensor ops that `nn.linear` computes
; CHECK: its kinds are one-row-product, product, wide-product
(deftemplate nn.linear {:for [cpu] :groups [one-row-product attention]} [(: x "memref<?x?xf32>")] (memref.dim x 0))
; CHECK: [[#@LINE+2]]:43: error[group-unknown]: `product` is no kind of group of tensor ops that `nn.gelu` computes
; CHECK: no group of tensor ops becomes `nn.gelu`: leave `:groups` out
(deftemplate nn.gelu {:for [cpu] :groups [product]} [(: x "memref<?x?xf32>")] (memref.dim x 0))

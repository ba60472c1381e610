; Code for AMX that LLVM does not optimize: its code generator crashes then where sums of tiles live in several blocks, so
; that lispier asks it for the least optimization.
; RUN: lispier --emit=asm --cpu=sapphirerapids --effort=quick %s | FileCheck %s
; CHECK-LABEL: products
; CHECK: tdpbf16ps

(defn products [(: a (tensor 8 _ bf16)) (: w (tensor 8 _ bf16))]
  (einsum "ak,nk->an" a w :out f32))

; Product, step 7: the formula.
;
; Which dimensions are summed stands in letters. BF16 times BF16 is added in F32, and :out keeps the sums so. The
; compiler writes a tile program as that of steps 4 and 5, with sizes that it knows to be good for the chip.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder])
(require-macros "./product.lisp" "../ladder.lisp")

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (store (einsum "mk,kn->mn" (load a) (load b) :out f32) c))

; CHECK: ok
(define-product step)

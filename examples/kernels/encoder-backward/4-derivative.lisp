; Encoder backward, step 4: the derivative of the formula.
;
; The gradient of `embedding` is `add-at`, which adds rows in the order of the tokens, so that two runs give the same
; bits, and that of positions a sum over the texts. `:into` has both begin with what is there, which `value-and-grad`
; can of a number: the sum of dy y, whose gradients are the same.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./encoder-backward.lisp" :as encoder-backward] ["../ladder.lisp" :as ladder])
(require-macros "./encoder-backward.lisp" "../ladder.lisp")

(defn weighed [(: tokens (tensor n i32)) (: table (tensor v c f32)) (: positions (tensor t c f32))
               (: dy (tensor n c f32))]
  (let [texts (+ (reshape (embedding table tokens) [(/ n t) t c]) positions)]
    (sum (* dy (reshape texts [n c])))))

(defn back [tokens table positions dy (: dtable (inout (tensor v c f32))) (: dpositions (inout (tensor t c f32)))]
  (value-and-grad weighed tokens table positions dy :wrt [1 2] :into [dtable dpositions]))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: dy memref<?x?xf32>)
           (: dtable memref<?x?xf32>) (: dpositions memref<?x?xf32>)]
  (back (load tokens) (load table) (load positions) (load dy) dtable dpositions))

; CHECK: ok
; CHECK-NEXT: ok
(define-encoder-backward step)

; Residual backward, step 3: the derivative of the formula.
;
; Of a sum `vjp` makes dy itself, twice: what is left are the two additions, a kernel each, since both write what they
; read and dx and dz may be the same memory. dy is read twice. x and z are not read.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./residual-backward.lisp" :as residual-backward] ["../ladder.lisp" :as ladder])
(require-macros "./residual-backward.lisp" "../ladder.lisp")

(defn joined [(: x (tensor n c f32)) (: z (tensor n c f32))] (+ x z))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
           (: dz memref<?x?xf32>)]
  (def [y of-x of-z] (vjp joined (load x) (load z) :seed (load dy) :wrt [0 1]))
  (store (+ (load dx) of-x) dx)
  (store (+ (load dz) of-z) dz))

; CHECK: ok
; CHECK-NEXT: ok
(define-residual-backward step)

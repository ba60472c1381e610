; Matmul backward, step 4: the derivative of the formula.
;
; `vjp` of the library's `linear` is two products with other letters, in which nothing is transposed in memory, and a
; sum over rows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./matmul-backward.lisp" :as matmul-backward] ["../ladder.lisp" :as ladder])
(require-macros "./matmul-backward.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: weight memref<?x?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def [y of-x of-weight of-bias] (vjp linear (load x) (load weight) (load bias) :seed (load dy) :wrt [0 1 2]))
  (store of-x dx)
  (store of-weight dweight)
  (store of-bias dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-matmul-backward step 2e-5)

; Residual backward, step 1: a thread an element.
;
; Neighbouring threads read and write neighbours. One kernel for both terms reads dy once; a kernel for each would move
; 24 bytes for each number instead of 20.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./residual-backward.lisp" :as residual-backward] ["../ladder.lisp" :as ladder])
(require-macros "./residual-backward.lisp" "../ladder.lisp")

(defkernel back [(: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: dz memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim dy 1))
    (def d (memref.load dy row c))
    (memref.store (+ (memref.load dx row c) d) dx row c)
    (memref.store (+ (memref.load dz row c) d) dz row c)))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
           (: dz memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 255) 256) (memref.dim dy 0)] :block [256]} dy dx dz))

; CHECK: ok
; CHECK-NEXT: ok
(define-residual-backward step)

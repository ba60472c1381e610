; Repeat-interleave backward, step 3: the derivative of the formula.
;
; The formula broadcasts along a new dimension between rows and columns. The derivative of a broadcast is the sum along
; its dimension, which is one kernel that reads dy where it is.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./repeat-interleave-backward.lisp" :as repeat-interleave-backward] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave-backward.lisp" "../ladder.lisp")

(defn repeated [x (: times index)]
  (let [n (dim x 0) c (dim x 1)]
    (reshape (broadcast (reshape x [n 1 c]) [n times c]) [(* n times) c])))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: times index)]
  (def [y of-x] (vjp repeated (load x) times :seed (load dy)))
  (store of-x dx))

; CHECK: ok
(define-repeat-interleave-backward step)

; Cross-entropy and softmax backward, step 4: the derivative of the formula.
;
; The losses as in the definition. The maximum is subtracted and added again, so that its gradient is 0, as `stop-
; gradient` says. The gradient of the target's logit is 1 at a place of the row, which `vjp` makes elementwise: the
; maximum, the sum and the gradient are one kernel of rows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./crossentropy-softmax-backward.lisp" :as crossentropy-softmax-backward] ["../ladder.lisp" :as ladder])
(require-macros "./crossentropy-softmax-backward.lisp" "../ladder.lisp")

(defn losses [(: x (tensor n v f32)) (: targets (tensor n i32))]
  (let [most (stop-gradient (max x :axis 1))
        total (sum (exp (- x (stack most :axis 1))) :axis 1)]
    (- (+ most (log total)) (gather x targets :axis 1 :batch 1))))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (def [y of-x] (vjp losses (load x) (load targets) :seed (load dloss)))
  (store of-x dx))

; CHECK: ok
(define-crossentropy-softmax-backward step)

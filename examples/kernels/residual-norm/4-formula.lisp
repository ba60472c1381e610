; Residual and layer norm, step 4: the formula.
;
; The sum is needed for the same rows as the reductions, so that all is one kernel with two results; `lispier run
; --explain` shows it. Both are stored at the end: a store before the norm would divide the kernel, since it might
; change what the norm reads.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --check-prefix=KERNEL
; KERNEL: kernel step_0, row: lines 17, 18
; KERNEL-NOT: kernel step_1
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./residual-norm.lisp" :as residual-norm] ["../ladder.lisp" :as ladder])
(require-macros "./residual-norm.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
            (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def sums (+ (load x) (load r)))
  (def normal (layer-norm sums (load weight) (load bias)))
  (store sums z)
  (store normal y))

; CHECK-COUNT-2: ok
(define-residual-norm step)

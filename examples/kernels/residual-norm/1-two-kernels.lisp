; Residual and layer norm, step 1: a kernel for each.
;
; The first adds, a thread a number. The second is the last step of the layer norm's ladder, the formula, and reads from
; memory what the first has just written: 20 bytes for each number instead of 16, and it waits for the first one's last
; block.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; PTX: .entry add(
; PTX: .entry step_0
(require-dialect memref math)
(require ["./residual-norm.lisp" :as residual-norm] ["../ladder.lisp" :as ladder])
(require-macros "./residual-norm.lisp" "../ladder.lisp")

(defkernel add [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: z memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim x 1))
    (memref.store (+ (memref.load x row c) (memref.load r row c)) z row c)))

(defn step [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
            (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch add {:grid [(/ (+ (memref.dim x 1) 255) 256) (memref.dim x 0)] :block [256]} x r z)
  (store (layer-norm (load z) (load weight) (load bias)) y))

; CHECK-COUNT-2: ok
(define-residual-norm step)

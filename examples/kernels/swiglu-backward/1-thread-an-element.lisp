; SwiGLU backward, step 1: a thread an element.
;
; Both gradients need gate, up, dy and the same sigmoid, so that one kernel gives both: 20 bytes move for each number,
; where a kernel for each would read dy and the gate twice.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./swiglu-backward.lisp" :as swiglu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu-backward.lisp" "../ladder.lisp")

(defkernel back [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
                 (: dup memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim dy 1))
    (def [of-gate of-up]
      (swiglu-backward/gradients (memref.load gate row c) (memref.load up row c) (memref.load dy row c)))
    (memref.store of-gate dgate row c)
    (memref.store of-up dup row c)))

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
           (: dup memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 255) 256) (memref.dim dy 0)] :block [256]} gate up dy dgate dup))

; CHECK: ok
; CHECK-NEXT: ok
(define-swiglu-backward step)

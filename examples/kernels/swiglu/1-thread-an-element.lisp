; SwiGLU, step 1: a thread an element.
;
; Neighbouring threads read neighbouring numbers, so that a warp's access is four whole sectors, and each number moves
; once. A thread has two loads of 4 bytes on their way, which is too little to keep the memory of a large GPU busy;
; vectors of four numbers, as in step 3 of GELU with residual, would mend that.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./swiglu.lisp" :as swiglu] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu.lisp" "../ladder.lisp")

(defkernel activate [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim y 1))
    (memref.store (swiglu/gated (memref.load gate row c) (memref.load up row c)) y row c)))

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch activate {:grid [(/ (+ (memref.dim y 1) 255) 256) (memref.dim y 0)] :block [256]} gate up y))

; CHECK: ok
(define-swiglu step)

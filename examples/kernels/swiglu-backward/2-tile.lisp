; SwiGLU backward, step 2: a tile program.
;
; One program computes a part of a row of both gradients, by the function of step 1, which has no types; a thread loads
; and stores 16 bytes at a time.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./swiglu-backward.lisp" :as swiglu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu-backward.lisp" "../ladder.lisp")

(deftile back {:const [size] :warps 4}
  [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
   (: dup memref<?x?xf32>)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (def [of-gate of-up]
    (swiglu-backward/gradients (load gate [row c] [1 size]) (load up [row c] [1 size]) (load dy [row c] [1 size])))
  (store of-gate dgate [row c])
  (store of-up dup [row c]))

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: dy memref<?x?xf32>) (: dgate memref<?x?xf32>)
           (: dup memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 1023) 1024) (memref.dim dy 0)] :const {:size 1024}}
          gate up dy dgate dup))

; CHECK: ok
; CHECK-NEXT: ok
(define-swiglu-backward step)

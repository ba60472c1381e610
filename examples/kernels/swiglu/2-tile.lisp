; SwiGLU, step 2: a tile program.
;
; One program computes a part of a row. The activation is the same function, which has no types. The compiler gives
; each thread 16 bytes at a time, where rows begin at 16 bytes, and leaves out what is past the end of a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./swiglu.lisp" :as swiglu] ["../ladder.lisp" :as ladder])
(require-macros "./swiglu.lisp" "../ladder.lisp")

(deftile activate {:const [size] :warps 4} [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (store (swiglu/gated (load gate [row c] [1 size]) (load up [row c] [1 size])) y [row c]))

(defn step [(: gate memref<?x?xf32>) (: up memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch activate {:grid [(/ (+ (memref.dim y 1) 1023) 1024) (memref.dim y 0)] :const {:size 1024}} gate up y))

; CHECK: ok
(define-swiglu step)

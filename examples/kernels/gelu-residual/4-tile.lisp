; GELU and residual, step 4: a tile program.
;
; One program adds a part of a row. The compiler gives each thread 16 bytes at a time, where rows begin at 16 bytes,
; and leaves out what is past the end of a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math vector)
(require ["./gelu-residual.lisp" :as gelu-residual] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-residual.lisp" "../ladder.lisp")

(deftile both {:const [size] :warps 8} [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (store (+ (load x [row c] [1 size]) (gelu-residual/activation (load z [row c] [1 size]))) y [row c]))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch both {:grid [(/ (+ (memref.dim x 1) 1023) 1024) (memref.dim x 0)] :const {:size 1024}} x z y))

; CHECK: ok
(define-gelu-residual step)

; GELU backward, step 3: a tile program.
;
; One program computes a part of a row. The compiler gives each thread 16 bytes at a time, where rows begin at 16 bytes,
; and leaves out what is past the end of a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./gelu-backward.lisp" :as gelu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-backward.lisp" "../ladder.lisp")

(deftile back {:const [size] :warps 8} [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (store (* (load dy [row c] [1 size]) (gelu-backward/slope (load x [row c] [1 size]))) dx [row c]))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim x 1) 1023) 1024) (memref.dim x 0)] :const {:size 1024}} x dy dx))

; CHECK: ok
(define-gelu-backward step)

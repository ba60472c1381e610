; Residual backward, step 2: a tile program.
;
; One program adds a part of a row to both terms. The compiler gives each thread 16 bytes at a time, where rows begin at
; 16 bytes, and leaves out what is past the end of a row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./residual-backward.lisp" :as residual-backward] ["../ladder.lisp" :as ladder])
(require-macros "./residual-backward.lisp" "../ladder.lisp")

(deftile back {:const [size] :warps 8} [(: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: dz memref<?x?xf32>)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (def d (load dy [row c] [1 size]))
  (store (+ (load dx [row c] [1 size]) d) dx [row c])
  (store (+ (load dz [row c] [1 size]) d) dz [row c]))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
           (: dz memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim dy 1) 1023) 1024) (memref.dim dy 0)] :const {:size 1024}} dy dx dz))

; CHECK: ok
; CHECK-NEXT: ok
(define-residual-backward step)

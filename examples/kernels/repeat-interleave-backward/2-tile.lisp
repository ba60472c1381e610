; Repeat-interleave backward, step 2: a tile program.
;
; A program adds a part of R rows in registers, 16 bytes a thread and row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./repeat-interleave-backward.lisp" :as repeat-interleave-backward] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave-backward.lisp" "../ladder.lisp")

(deftile back {:const [size] :warps 4} [(: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: times index)]
  (def row (program-id 1))
  (def c (* size (program-id 0)))
  (store (fold [s (zeros f32 [1 size])] [k 0 times] (+ s (load dy [(+ k (* row times)) c] [1 size]))) dx [row c]))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: times index)]
  (launch back {:grid [(/ (+ (memref.dim dx 1) 1023) 1024) (memref.dim dx 0)] :const {:size 1024}} dy dx times))

; CHECK: ok
(define-repeat-interleave-backward step)

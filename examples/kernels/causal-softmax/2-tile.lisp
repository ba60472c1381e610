; Causal softmax, step 2: a tile program.
;
; A row is one tile, which stays in registers. What it does not see is not read: the mask of the load says so, and the
; other places are -inf, whose exponential is 0.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./causal-softmax.lisp" :as causal-softmax] ["../ladder.lisp" :as ladder])
(require-macros "./causal-softmax.lisp" "../ladder.lisp")

(deftile normalize {:const [columns] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def seen (<= (iota index [columns]) (% row (memref.dim x 1))))
  (def v (load x [row 0] [columns] :mask seen :else -inf))
  (def e (exp (- v (max v))))
  (store (/ e (sum e)) y [row 0]))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize
    {:grid [(memref.dim x 0)] :const {:columns (next-power-of-2 (memref.dim x 1) :among [128 256 512 1024])}} x y))

; CHECK: ok
(define-causal-softmax step)

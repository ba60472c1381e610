; Causal softmax, step 2: a tile program.
;
; A row is one tile, which stays in registers. What it does not see is not read: the mask of the load says so, and the
; other places are -inf, whose exponential is 0. The grid has rows and heads, so that no thread divides to find the row
; in its head, and the quotients are products by one reciprocal: with a division for each element the program computes
; for longer than it waits for memory (on an H200 207 us, not 148).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./causal-softmax.lisp" :as causal-softmax] ["../ladder.lisp" :as ladder])
(require-macros "./causal-softmax.lisp" "../ladder.lisp")

(deftile normalize {:const [columns] :warps 4} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def last (program-id 0))
  (def row (+ last (* (memref.dim x 1) (program-id 1))))
  (def seen (<= (iota i32 [columns]) (cast i32 last)))
  (def v (load x [row 0] [columns] :mask seen :else -inf))
  (def e (exp (- v (max v))))
  (store (* e (/ 1.0 (sum e))) y [row 0]))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def time (memref.dim x 1))
  (launch normalize
    {:grid [time (/ (memref.dim x 0) time)] :const {:columns (next-power-of-2 time :among [128 256 512 1024])}} x y))

; CHECK: ok
(define-causal-softmax step)

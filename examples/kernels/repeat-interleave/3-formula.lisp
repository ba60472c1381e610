; Repeat-interleave, step 3: the formula.
;
; A new dimension between rows and columns, along which x is broadcast, and which is merged with the rows. Nothing but y
; is written.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./repeat-interleave.lisp" :as repeat-interleave] ["../ladder.lisp" :as ladder])
(require-macros "./repeat-interleave.lisp" "../ladder.lisp")

(defn repeated [x (: times index)]
  (let [n (dim x 0) c (dim x 1)]
    (reshape (broadcast (reshape x [n 1 c]) [n times c]) [(* n times) c])))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (store (repeated (load x) times) y))

; CHECK: ok
(define-repeat-interleave step)

; Encoder, step 5: a formula.
;
; What is computed, and nothing of how: the rows of the table that the tokens name, plus the positions, which repeat
; for each text. The reads of both join the addition in one kernel (`lispier run --explain` shows it), for whatever
; target.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref)
(require ["./encoder.lisp" :as encoder] ["../ladder.lisp" :as ladder])
(require-macros "./encoder.lisp" "../ladder.lisp")

(defn encode [(: tokens (tensor n i32)) (: table (tensor v c f32)) (: positions (tensor t c f32))] -> (tensor n c f32)
  (def texts (+ (reshape (embedding table tokens) [(/ n t) t c]) positions))
  (reshape texts [n c]))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (encode tokens table positions) y))

; CHECK: ok
(define-encoder step)

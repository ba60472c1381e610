; Causal softmax, step 3: the formula.
;
; The rows of a head are a dimension of their own, so that what a row sees is a comparison of two indices. The compiler
; makes one kernel of it, which reads no more of x than step 2.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./causal-softmax.lisp" :as causal-softmax] ["../ladder.lisp" :as ladder])
(require-macros "./causal-softmax.lisp" "../ladder.lisp")

(defn normalize [x]
  (let [time (dim x 1)
        heads (reshape x [(/ (dim x 0) time) time time])
        seen (<= (iota i32 [time]) (iota i32 [time 1] :axis 0))]
    (reshape (softmax (where seen heads -inf)) [(dim x 0) time])))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (normalize (load x)) y))

; CHECK: ok
(define-causal-softmax step)

; RoPE, step 4: the formula.
;
; Halves by `split`, joined by `concat`; the table is broadcast over the heads. Both halves of the result are one
; kernel, which writes y itself: the two halves are a dimension of y.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./rope.lisp" :as rope] ["../ladder.lisp" :as ladder])
(require-macros "./rope.lisp" "../ladder.lisp")

(defn rotate [x cosines sines]
  (let [c (reshape cosines [(dim cosines 0) 1 (dim cosines 1)])
        s (reshape sines [(dim sines 0) 1 (dim sines 1)])
        [a b] (split x 2 :axis -1)]
    (concat (- (* a c) (* b s)) (+ (* b c) (* a s)) :axis -1)))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: y memref<?x?x?xf32>)]
  (store (rotate (load x) (load cosines) (load sines)) y))

; CHECK: ok
(define-rope step)

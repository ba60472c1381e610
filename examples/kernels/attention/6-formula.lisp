; Attention, step 6: the formula.
;
; Names of dimensions: g group, r head of a group, t and s token, d number of a head. The compiler finds attention in
; it (`lispier run --explain`): no score is in memory, and what is not seen is not computed. Heads are copied apart and
; put back, as in step 2. Tensor cores take an F32 number as two of BF16, which have 16 of its 24 bits: results of at
; most 1 have errors of about 2^-17.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math vector)
(require ["./attention.lisp" :as attention] ["../ladder.lisp" :as ladder])
(require-macros "./attention.lisp" "../ladder.lisp")

; Heads before tokens.
(defn heads-of [x (: count index)]
  (reshape (transpose x [0 2 1 3]) [count (/ (* (dim x 0) (dim x 2)) count) (dim x 1) 64]))

(defn attend [x (: batch index) (: heads index) (: groups index)]
  (let [time (/ (dim x 0) batch)
        [q k v] (split (reshape x [batch time (+ heads groups groups) 64]) [heads groups groups] :axis 2)
        all (* batch groups)
        keys (reshape (heads-of k all) [all time 64])
        values (reshape (heads-of v all) [all time 64])
        scores (* 0.125 (einsum "grtd,gsd->grts" (heads-of q all) keys))
        seen (<= (iota i32 [time]) (iota i32 [time 1] :axis 0))
        o (einsum "grts,gsd->grtd" (softmax (where seen scores -inf)) values)]
    (reshape (transpose (reshape o [batch heads time 64]) [0 2 1 3]) [(* batch time) (* 64 heads)])))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  (store (attend (load x) batch heads groups) y))

; CHECK: ok
(define-attention step 1 8e-6)

; Cross-entropy and softmax backward, step 2: one kernel.
;
; One pass over the row finds its maximum and its sum together (step 4 of softmax), and a second one writes the
; gradient: probabilities are not in memory, and the matrix moves three times.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./crossentropy-softmax-backward.lisp" :as crossentropy-softmax-backward] ["../ladder.lisp" :as ladder])
(require-macros "./crossentropy-softmax-backward.lisp" "../ladder.lisp")

(require-macros "../softmax/softmax.lisp") ; `tree`

(defkernel back [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (def partial (shared f32 [256]))
  (def row (block-id :x))
  (def t (thread-id :x))
  (def columns (memref.dim x 1))
  (def [mine sum] (fold [m (: -3.4e38 f32) s (: 0.0 f32)] [c t columns 256]
    (def v (memref.load x row c))
    (def next (max m v))
    [next (+ (* s (exp (- m next))) (exp (- v next)))]))
  (memref.store mine partial t)
  (def most (tree partial t max))
  (memref.store (* sum (exp (- mine most))) partial t)
  (def total (tree partial t +))
  (def target (cast index (memref.load targets row)))
  (def d (memref.load dloss row))
  (for [c t columns 256]
    (def p (* (/ d total) (exp (- (memref.load x row c) most))))
    (memref.store (if (= c target) (- p d) p) dx row c)))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (launch back {:grid [(memref.dim x 0)] :block [256]} x targets dloss dx))

; CHECK: ok
(define-crossentropy-softmax-backward step)

; Training with the data divided among ranks: each computes the gradients of its own rows, and their sum changes the
; weights, which all ranks have.
;
; RUN: lispier run %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=3 %s | FileCheck %s
(defmesh [dp])

(defn predicted [x w1 w2] (einsum "th,h->t" (tanh (einsum "tc,hc->th" x w1)) w2))

; The mean over all rows is that of the ranks' means. Nothing else is written: where a gradient is a sum over the ranks,
; since all have the weight and each some rows, the compiler adds the parts.
(defn loss [w1 w2 x y]
  (def error (- (predicted x w1 w2) y))
  (all-reduce (mean (* error error)) :over dp :by mean))

(defn main []
  ; A program that reads its rows from a file at (rank dp) writes (assume x :split 0 :over dp) instead.
  (def x (own-part (normal f32 [24 4] :seed 1) :over dp))
  (def y (sin (sum x :axis 1)))
  (fold [w1 (* 0.5 (normal f32 [8 4] :seed 2)) w2 (* 0.5 (normal f32 [8] :seed 3))] [step 0 40]
    (def [now d1 d2] (value-and-grad loss w1 w2 x y :wrt [0 1]))
    (when (= (% step 13) 0) (println "%d: %.4f" (cast i64 step) (cast f64 now)))
    [(- w1 (* 0.3 d1)) (- w2 (* 0.3 d2))]))
; CHECK: 0: 0.9551
; CHECK-NEXT: 13: 0.2043
; CHECK-NEXT: 26: 0.0696
; CHECK-NEXT: 39: 0.0378

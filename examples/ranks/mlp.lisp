; A layer of a network on several ranks: the first matrix is divided by columns, the second by rows, so that each rank
; computes with its own part and one sum joins them (Shoeybi et al., "Megatron-LM", 2019).
;
; RUN: lispier run %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=4 --mesh=tp=4 %s | FileCheck %s
(defmesh [tp])

; What each value is on the ranks follows from where it comes from, and is checked: `all-reduce` is needed, since the
; product over a divided dimension is a sum over the ranks, and is an error before the bias, which would count twice.
(defn mlp [x w1 w2 bias]
  (def hidden (gelu (einsum "tc,hc->th" x w1)))      ; Each rank has some of the columns h.
  (def out (einsum "th,ch->tc" hidden w2))           ; A partial sum.
  (+ (all-reduce out :over tp) bias))

(defn noise [n seed] (* 0.1 (normal f32 [n 8] :seed seed)))

(defn main []
  (def x (normal f32 [3 8] :seed 1))
  (def w1 (own-part (noise 16 2) :over tp :axis 0))
  (def w2 (own-part (transpose (noise 16 3)) :over tp :axis 1))
  (def y (mlp x w1 w2 (iota f32 [8])))
  (println "%.4f %.4f" (cast f64 (sum y)) (cast f64 (sum (* y y)))))
; CHECK: 84.3021 423.0827

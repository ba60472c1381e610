; Layer norm backward, step 4: the derivative of the formula.
;
; `vjp` differentiates the formula of the ladder `layer-norm` by x, weight and bias. What belongs to a row, means,
; deviation and dx, is one kernel; the sums over rows are kernels that read x and dy again (`lispier run --explain`).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./layernorm-backward.lisp" :as layernorm-backward] ["../ladder.lisp" :as ladder])
(require-macros "./layernorm-backward.lisp" "../ladder.lisp")

(defn normalize [(: x (tensor n c f32)) (: weight (tensor c f32)) (: bias (tensor c f32))]
  (let [d (- x (mean x :axis -1 :keep true))]
    (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)) weight) bias)))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (def [y of-x of-weight of-bias]
    (vjp normalize (load x) (load weight) (load bias) :seed (load dy) :wrt [0 1 2]))
  (store of-x dx)
  (store of-weight dweight)
  (store of-bias dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-layernorm-backward step)

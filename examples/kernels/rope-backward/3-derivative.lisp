; RoPE backward, step 3: the derivative of the formula.
;
; The gradient of `split` joins its parts, and that of `concat` takes them apart; the factors, which are known, change
; their places. It is one kernel, which writes dx itself.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./rope-backward.lisp" :as rope-backward] ["../ladder.lisp" :as ladder]
         ["../rope/rope.lisp" :as rope])
(require-macros "./rope-backward.lisp" "../ladder.lisp")

(defn rotate [x cosines sines]
  (let [c (reshape cosines [(dim cosines 0) 1 (dim cosines 1)])
        s (reshape sines [(dim sines 0) 1 (dim sines 1)])
        [a b] (split x 2 :axis -1)]
    (concat (- (* a c) (* b s)) (+ (* b c) (* a s)) :axis -1)))

(defn step [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>) (: dy memref<?x?x?xf32>)
           (: dx memref<?x?x?xf32>)]
  (def [y of-x] (vjp rotate (load x) (load cosines) (load sines) :seed (load dy)))
  (store of-x dx))

; CHECK: ok
(define-rope-backward step)

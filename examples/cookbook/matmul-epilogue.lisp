; gelu(a b + bias): what follows a product is computed in its kernel (lispier run --explain). The factors are BF16, the
; sums F32.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn dense [(: a (tensor m k bf16)) (: b (tensor k n bf16)) (: bias (tensor n f32))]
  (gelu (+ (einsum "mk,kn->mn" a b :out f32) bias)))

(defn filled [(: rows index) (: columns index) (: seed f32)]
  (cast bf16 (sin (* seed (reshape (iota f32 [(* rows columns)]) [rows columns])))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def a (filled 70 90 0.7))
  (def b (filled 90 50 1.3))
  (def bias (cos (iota f32 [50])))
  (def y (dense a b bias))
  ; The element [33 7] as a loop.
  (def s (fold [s (at bias 7)] [k 0 90] (+ s (* (cast f32 (at a 33 k)) (cast f32 (at b k 7))))))
  (def inner (* 0.7978845608 (+ s (* 0.044715 s s s))))
  (check/report (cstring "element") (abs (- (at y 33 7) (* 0.5 s (+ 1.0 (tanh inner))))) 1e-5)   ; CHECK: element: ok
  (def [left right large]
    [(to-memref (filled 512 512 0.7)) (to-memref (filled 512 512 1.3)) (to-memref (cos (iota f32 [512])))])
  (timed argc memref<?x?xf32> [(: 512 index) (: 512 index)] (dense (load left) (load right) (load large))))

; In a loop, a thread reads as many neighbours of a tile of BF16 as of one of F32, so that it has the elements that it
; combines: none is moved through memory of the block, or read again, in each step.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE
; CHECK-LABEL: .entry dots_0(
; CHECK-NOT: shared
; CHECK: ld.global.v4
; CHECK-NOT: shared
; CHECK: ld.global.v2.b32
; CHECK-NOT: shared
; CHECK: shfl
(defn dots [(: x (tensor 16 20480 f32)) (: y (tensor 16 20480 bf16))]
  (sum (* (exp x) (cast f32 y)) :axis 1))

(defn main []
  (def x (sin (reshape (iota f32 [327680]) [16 20480])))
  ; VALUE: {{^}}1{{$}}
  (def all (dots x (cast bf16 (cos (* 3.0 x)))))
  (def exact (sum (* (exp (cast f64 x)) (cast f64 (cast bf16 (cos (* 3.0 x))))) :axis 1))
  (println "%d" (cast i32 (< (at (max (abs (- exact (cast f64 all))))) 0.1))))

; What is computed of a product's sums behind its loop is computed in parts, each where it is stored: all elements of a
; thread, of each op of a long formula, would need more registers than there are.
; RUN: lispier --emit=loops --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=SUM
; CHECK-LABEL: gpu.func @gated_0(
; CHECK: tile.warpgroup_mma
; CHECK: scf.yield
; CHECK: math.exp %{{.*}} : vector<8xf32>
; CHECK: vector.store
; CHECK: math.exp %{{.*}} : vector<8xf32>
; CHECK: vector.store
; CHECK: math.exp %{{.*}} : vector<8xf32>
; CHECK: gpu.return
(defn gated [(: x (tensor 128 128 bf16)) (: w (tensor 128 128 bf16)) (: z (tensor 128 128 f32))]
  (def y (einsum "nk,ck->nc" x w :out f32))
  (def s (/ 1.0 (+ 1.0 (exp (- y)))))
  (+ (* y s) (* z (+ s (* y s (- 1.0 s))))))

; SUM: 8612
(defn main []
  (def x (cast bf16 (reshape (sin (* 0.7 (iota f32 [16384]))) [128 128])))
  (def w (cast bf16 (reshape (cos (* 0.3 (iota f32 [16384]))) [128 128])))
  (println "%.0f" (sum (abs (gated x w (reshape (sin (iota f32 [16384])) [128 128]))))))

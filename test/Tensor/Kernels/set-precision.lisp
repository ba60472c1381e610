; The precision of a program's products: of those that have none of their own, the gradient's too. A product that says
; f32 stays exact, and other types than f32 are exact anyway.
; RUN: lispier --emit=tensor --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | FileCheck %s --check-prefix=NONE
; RUN: lispier --emit=ptx --target=cuda:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier run --target=sim:sm_90a --precision=tf32 %s | FileCheck %s --check-prefix=SUM
; RUN: lispier run --precision=tf32 %s | FileCheck %s --check-prefix=SUM
; RUN: not lispier run --precision=half %s 2>&1 | FileCheck %s --check-prefix=ERROR
; ERROR: --precision
; NONE-NOT: tile.precision = #tile.precision<tf32>
; PTX: .tf32
(defn plain [(: a (tensor 256 512 f32)) (: b (tensor 512 256 f32))] (matmul a b))
; CHECK-LABEL: func.func @plain(
; CHECK: linalg.contract {{.*}}tile.precision = #tile.precision<tf32>
(defn exact [(: a (tensor 256 512 f32)) (: b (tensor 512 256 f32))] (matmul a b :precision f32))
; CHECK-LABEL: func.func @exact(
; CHECK: tile.precision = #tile.precision<f32>
(defn wide [(: a (tensor 256 512 f64)) (: b (tensor 512 256 f64))] (matmul a b))
; CHECK-LABEL: func.func @wide(
; CHECK-NOT: tile.precision
; CHECK: return
(defn loss [(: a (tensor 256 512 f32)) (: b (tensor 512 256 f32))] (let [y (matmul a b)] (sum (* y y))))
(defn gradient [(: a (tensor 256 512 f32)) (: b (tensor 512 256 f32))] (grad loss a b))
; CHECK-LABEL: func.func @gradient(
; CHECK-COUNT-2: tile.precision = #tile.precision<tf32>
(defn main []
  ; SUM-COUNT-3: 512
  (def a (full f32 [256 512] 1.0))
  (def b (full f32 [512 256] 1.0))
  (println (at (plain a b) 3 5))
  (println (at (exact a b) 3 5))
  (println (at (wide (cast f64 a) (cast f64 b)) 3 5))
  (println (at (gradient a b) 0 0)))

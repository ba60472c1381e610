; Factors of large products whose rows do not begin at multiples of 16 bytes are copied by rows that do: both of them,
; which end with zeros, where the summed dimension does not fill them, else the one by columns.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s --check-prefix=PTX
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; TILES-LABEL: gpu.func @irregular_0_packed(
; TILES-LABEL: gpu.func @irregular_0_end(
; TILES-LABEL: gpu.func @irregular_0(
; TILES-SAME: memref<1025x132xf32>, {{[^:]*}}: memref<1026x132xf32>
; PTX-LABEL: .entry irregular_0(
; PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
(defn irregular [(: a (tensor 1025 129 f32)) (: b (tensor 129 1026 f32))] (matmul a b))
; TILES-LABEL: gpu.func @columns_0_packed(
; TILES-NOT: _end(
; TILES-LABEL: gpu.func @columns_0(
; TILES-SAME: memref<1024x136xbf16>, {{[^:]*}}: memref<1026x136xbf16>
(defn columns [(: a (tensor 1024 136 bf16)) (: b (tensor 136 1026 bf16))] (matmul a b :out f32))
; Few results use an element of the second one.
; TILES-NOT: gpu.func @thin_0_packed(
; TILES-LABEL: gpu.func @thin_0(
(defn thin [(: a (tensor 25 129 f32)) (: b (tensor 129 1026 f32))] (matmul a b))

(defn numbers [n & {:by 3}] (- (cast f32 (% (* (iota i32 [n]) by) 7)) 3.0))
(defn main []
  (def p (irregular (reshape (numbers 132225) [1025 129]) (reshape (numbers 132354 :by 5) [129 1026])))
  (println "%g %g" (at p 1024 1025) (norm p)) ; CHECK: 259 187145
  (def q (columns (cast bf16 (reshape (numbers 139264) [1024 136]))
                  (cast bf16 (reshape (numbers 139536 :by 5) [136 1026]))))
  (println "%g %g" (at q 1023 1025) (norm q))) ; CHECK-NEXT: -276 197198

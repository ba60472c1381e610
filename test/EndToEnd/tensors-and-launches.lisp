; Functions over tensors, beside launches of both kinds and what else keeps memory of its own.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda %s -o - | FileCheck %s --check-prefix=PTX
; CHECK: {{^2 4$}}
; CHECK-NEXT: {{^4$}}
; PTX: .entry
(require-dialect gpu memref tensor)

(defkernel double [(: m memref<4xf32>)]
  (def i (thread-id :x))
  (memref.store (* 2.0 (memref.load m i)) m i))

; Arithmetic of whole tensors.
(defn square [(: x tensor<4xf32>)] -> tensor<4xf32> (* x x))

(defn main []
  (def m (memref.alloc {:result memref<4xf32>}))
  (for [i 0 4] (memref.store 1.0 m i))
  (launch double {:grid [1] :block [4]} m)
  (def squares (square (tensor.from_elements {:result tensor<4xf32>} (: 1.0 f32) (: 2.0 f32) (: 3.0 f32) (: 4.0 f32))))
  (println "%g %g" (cast f64 (memref.load m 1)) (cast f64 (tensor.extract squares (: 1 index))))
  (launch {:name again :grid [1] :block [4]}
    (memref.store (* 2.0 (memref.load m (thread-id :x))) m (thread-id :x)))
  (println "%g" (cast f64 (memref.load m 1)))
  (memref.dealloc m))

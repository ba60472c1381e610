; RUN: lispier run --cache=false %s | FileCheck %s
; Beside tensors, the memory of a program is its own: a function passes it on without a copy, and nothing but the program frees it.
(require-dialect memref)

(defn made [(: n index)] -> memref<?xf32>
  (def m (device-alloc memref<?xf32> [n]))
  (store (+ (iota f32 [n]) 1.0) m)
  m)

(defn increased [(: m memref<?xf32>)] -> memref<?xf32>
  (store (+ (load m) 1.0) m)
  m)

(defn main []
  (let [x (made 8) y (increased x)]
    (memref.store 40.0 x 2)
    (println "%g %g" (memref.load y 2) (memref.load (increased y) 2)) ; CHECK: 40 41
    (println (sum (load x)))                                          ; CHECK: f32 [] 88
    (device-free! y)))

; A position that an i32 cannot hold is an error, before any element is read; along an axis of few elements it is none.
; RUN: not lispier run %s 2>&1 | FileCheck %s
(require-dialect memref)
(defn place [(: x (tensor r c i8))] (argmax x))
(defn places [(: x (tensor r c i8))] (argmax x :axis 0))
(defn main []
  (def m (device-alloc memref<?x?xi8> [2 1500000000]))
  (println (dim (places (load m)) 0)) ; CHECK: 1500000000
  (println (place (load m)))) ; CHECK: far-positions.lisp:4:37: error[tensor-size]: `argmax` gives an i32, which cannot number 3000000000 elements

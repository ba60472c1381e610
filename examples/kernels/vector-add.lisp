; c = a + b, the smallest kernel: one thread an element.
;
;   lispier run --target=cuda examples/kernels/vector-add.lisp
;
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)

(defkernel vector-add [(: a memref<?xf32>) (: b memref<?xf32>) (: c memref<?xf32>)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< i (memref.dim c 0))
    (memref.store (+ (memref.load a i) (memref.load b i)) c i)))

; CHECK: 0 wrong of 1000003
(defn main []
  (def n (: 1000003 index))
  (def host (memref.alloc {:result memref<?xf32>} n))
  (for [i 0 n] (memref.store (cast f32 (% i 1000)) host i))
  (def a (device-alloc memref<?xf32> [n]))
  (def b (device-alloc memref<?xf32> [n]))
  (def c (device-alloc memref<?xf32> [n]))
  (upload! a host)
  (upload! b host)
  (launch vector-add {:grid [(/ (+ n 255) 256)] :block [256]} a b c)
  (download! host c)
  (def wrong (fold [count (: 0 i64)] [i 0 n]
    (if {:result i64} (= (memref.load host i) (cast f32 (* 2 (% i 1000)))) count (+ count 1))))
  (println "%ld wrong of %ld" wrong (cast i64 n))
  (device-free! a)
  (device-free! b)
  (device-free! c)
  (memref.dealloc host))

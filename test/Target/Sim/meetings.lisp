; RUN: lispier run --target=sim %s | FileCheck %s --check-prefixes=CHECK,WARP32
; RUN: lispier run --target=sim:64 %s | FileCheck %s --check-prefixes=CHECK,WARP64
; RUN: lispier run --target=cpu %s | FileCheck %s --check-prefixes=CHECK,WARP32
(require-dialect memref gpu arith)

; What the threads of two warps get from each other: each brings its number.
(defkernel exchange [(: out memref<?x64xi32>)]
  (def t (thread-id :x))
  (def v (cast i32 t))
  (def [up above] (gpu.shuffle {:mode up} v (: 3 i32) (: 32 i32)))
  (def [down below] (gpu.shuffle {:mode down} v (: 3 i32) (: 32 i32)))
  (def [other _] (gpu.shuffle {:mode xor} v (: 5 i32) (: 8 i32)))
  (def [first _] (gpu.shuffle {:mode idx} v (: 2 i32) (: 8 i32)))
  (memref.store up out (: 0 index) t)
  (memref.store (arith.extui {:result i32} above) out (: 1 index) t)
  (memref.store down out (: 2 index) t)
  (memref.store (arith.extui {:result i32} below) out (: 3 index) t)
  (memref.store other out (: 4 index) t)
  (memref.store first out (: 5 index) t)
  (memref.store (warp-reduce :add v) out (: 6 index) t)
  (memref.store (block-reduce :max v) out (: 7 index) t))

; A reduction with a combining of its own, in which the order matters: 2 (a - b) + b.
(defkernel combine [(: out memref<?x64xi32>)]
  (def t (thread-id :x))
  (def digits
    (gpu.all_reduce {:result i32} (cast i32 (% t 3))
      (region (block [(: a i32) (: b i32)]
        (gpu.yield (+ (* (- a b) 2) b))))))
  (memref.store digits out (: 8 index) t))

(defkernel speak []
  (when (= (% (thread-id :x) 2) 1)
    (gpu.printf {:format "block %d, thread %d: %.2f %c\n"} (cast i32 (block-id :x)) (thread-id :x) (/ (cast f32 (thread-id :x)) (: 2.0 f32)) (: 33 i8))))

; CHECK: up 7 8 1, 1 1 0, 33 0
; CHECK-NEXT: down 13 4, 1 1, 30 0
; CHECK-NEXT: xor 15 9, idx 10 58
; WARP32-NEXT: warp 496 1520
; WARP64-NEXT: warp 2016 2016
; CHECK-NEXT: block 63 63
; CHECK-NEXT: combined -1227133512 -1227133512
; CHECK-NEXT: block 0, thread 1: 0.50 !
; CHECK-NEXT: block 0, thread 3: 1.50 !
(defn main []
  (def out (device-alloc memref<?x64xi32> [9]))
  (launch exchange {:block [64]} out)
  (launch combine {:block [64]} out)
  (println "up %d %d %d, %d %d %d, %d %d" (memref.load out 0 10) (memref.load out 0 11) (memref.load out 0 1)
           (memref.load out 1 10) (memref.load out 1 11) (memref.load out 1 1) (memref.load out 0 33) (memref.load out 1 33))
  (println "down %d %d, %d %d, %d %d" (memref.load out 2 10) (memref.load out 2 1) (memref.load out 3 10) (memref.load out 3 1)
           (memref.load out 2 30) (memref.load out 3 30))
  (println "xor %d %d, idx %d %d" (memref.load out 4 10) (memref.load out 4 12) (memref.load out 5 15) (memref.load out 5 56))
  (println "warp %d %d" (memref.load out 6 0) (memref.load out 6 63))
  (println "block %d %d" (memref.load out 7 0) (memref.load out 7 40))
  (println "combined %d %d" (memref.load out 8 0) (memref.load out 8 63))
  (launch speak {:block [4]}))

; Product, step 2: tiles of 16x16 in shared memory.
;
; 256 threads compute 16x16 elements of c. They copy the parts of a and b that all of them need to shared memory first,
; one element each, so that each is read from memory once a block instead of sixteen times. What is past the ends is 0.
;
; It still takes two loads for a multiplication, from shared memory now; and two barriers for sixteen of them.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder])
(require-macros "./product.lisp" "../ladder.lisp")

(defkernel multiply [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def of-a (shared f32 [16 16]))
  (def of-b (shared f32 [16 16]))
  (def x (thread-id :x))
  (def y (thread-id :y))
  (def i (+ (* (block-id :y) 16) y))
  (def j (+ (* (block-id :x) 16) x))
  (def depth (memref.dim a 1))
  (def sum (fold [sum (: 0.0 f32)] [k 0 depth 16]
    (def inA (and (< i (memref.dim c 0)) (< (+ k x) depth)))
    (def inB (and (< (+ k y) depth) (< j (memref.dim c 1))))
    (memref.store (if inA (cast f32 (memref.load a i (+ k x))) (: 0.0 f32)) of-a y x)
    (memref.store (if inB (cast f32 (memref.load b (+ k y) j)) (: 0.0 f32)) of-b y x)
    (barrier)
    (def next (fold [s sum] [z 0 16] (+ s (* (memref.load of-a y z) (memref.load of-b z x)))))
    (barrier)
    next))
  (when (and (< i (memref.dim c 0)) (< j (memref.dim c 1)))
    (memref.store sum c i j)))

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def high (/ (+ (memref.dim c 0) 15) 16))
  (def wide (/ (+ (memref.dim c 1) 15) 16))
  (launch multiply {:grid [wide high] :block [16 16]} a b c))

; CHECK: ok
(define-product step)

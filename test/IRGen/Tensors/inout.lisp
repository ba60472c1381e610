; Tensors that are written in place: `inout` parameters.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier build %s --emit=module -o - | FileCheck %s --check-prefix=MODULE
; RUN: lispier build %s --emit=tensor -o - | FileCheck %s --check-prefix=TENSOR
; RUN: lispier build %s --emit=target --target=cuda:sm_90a -o - | FileCheck %s --check-prefix=PTX
(require-dialect memref func)
; PTX-DAG: .target sm_90a

; The last value of the parameter is a further result; buffers have no such result, and nothing is copied.
; MODULE-LABEL: func.func @append(
; MODULE-SAME: tensor<?x?xf32> {bufferization.writable = true, group.inout}
; MODULE-SAME: -> tensor<?x?xf32>
; TENSOR-LABEL: func.func @append(
; TENSOR-NOT: alloc
; TENSOR: {{^    return$}}
(defn append [(: cache (inout (tensor p c f32))) (: row (tensor c f32)) (: pos (tensor 1 i32))]
  (update cache row [pos 0]))

; The name has the new numbers after each write; what was computed before keeps the old ones.
(defn mixed [(: cache (inout (tensor p c f32))) (: x (tensor c f32))]
  (def before (sum cache))
  (def doubled (* 2.0 cache))
  (update cache (* 2.0 x) [0 0])
  (def sums (sum cache :axis 0))
  (update (at cache 1) (slice x :axis 0 :from 2) [1])
  (println doubled)
  (+ before (sum (* sums (at cache 1)))))

; Writes in loops and branches, and a function that calls another one that writes.
(defn fill [(: cache (inout (tensor p c f32))) (: row (tensor c f32)) (: n index)] -> f32
  (for [i 0 n]
    (if (= (% i 2) 0)
        (append cache (* (cast f32 i) row) (full i32 [1] (cast i32 i)))
        (update cache row [i 0])))
  (def most (fold [m 0.0] [i 0 n] (update cache (+ 1.0 (at cache i)) [i 0]) (max m (at cache i 0))))
  (func.return most))

; A part of a tensor is written where it lies, with and without inlining.
(defn layers [(: caches (inout (tensor l p c f32))) (: row (tensor c f32)) (: pos (tensor 1 i32))]
  (for [i 0 l] (append (at caches i) (+ row (cast f32 i)) pos)))
; Sizes of two that are equal by their names: neither is copied.
; TENSOR-LABEL: func.func @pairs(
; TENSOR-NOT: memref.alloc
; TENSOR: return
(defn append-both [(: a (inout (tensor p c f32))) (: b (inout (tensor p c f32))) (: row (tensor c f32)) (: pos (tensor 1 i32))]
  (update a row [pos 0])
  (update b (* 2.0 row) [pos 0]))
(defn pairs [(: as (inout (tensor l p c f32))) (: bs (inout (tensor l p c f32))) (: row (tensor c f32)) (: pos (tensor 1 i32))]
  (for-each [a as b bs] (append-both a b row pos)))
; MODULE-LABEL: func.func @down(
; TENSOR-LABEL: func.func @down(
; TENSOR-NOT: memref.alloc
; TENSOR: return
(defn down [(: cache (inout (tensor p c f32))) (: n i64)] -> i64
  (if (> n 0) (do (update cache (: [7.0] tensor<1xf32>) [(- n 1) 0]) (down cache (- n 1))) n))

; A generic function is generated for the sizes of each call.
(defn put [(: cache (inout (tensor p c f32))) row & {:at 0}] (update cache row [at 0]))

; One without a type is generated for what each call gives.
(defrecord Pair [a (tensor n f32)] [b (tensor n bf16)])
(defn begin [(: x inout) part] (update x part [0]))
(defn begin-both [(: p inout)] (begin (:a p) (full f32 [1] 5.0)) (begin (:b p) (full bf16 [1] 6.0)))

; A record that is passed whole has what its fields are now.
(defrecord Weights [w (tensor n f32)] [pair Pair])
(defn grow [(: m (inout Weights))] (update (:w m) (+ 1.0 (:w m)) [0]) (begin (:a (:pair m)) (* 2.0 (:w m))))
(defn total [(: m Weights)] (+ (sum (:w m)) (sum (:a (:pair m)))))

; All of it is replaced, in a function that is called and not inlined.
(defn increase [(: p (inout (tensor 1 i32))) (: n index)] -> index
  (if (> n 0) (do (update p (+ p 1) [0]) (increase p (- n 1))) n))

(defn main []
  (def cache (zeros f32 [4 3]))
  (append cache (iota f32 [3]) (full i32 [1] 2))
  (println cache)
  ; CHECK: f32 [4 3]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [0 1 2]
  ; CHECK-NEXT: [0 0 0]
  (println "%g" (mixed cache (iota f32 [3])))
  ; CHECK: f32 [4 3]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [0 2 4]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: {{^9$}}
  (println cache)
  ; CHECK-NEXT: f32 [4 3]
  ; CHECK-NEXT: [0 2 4]
  ; CHECK-NEXT: [0 2 0]
  ; CHECK-NEXT: [0 1 2]
  (println "%g" (fill cache (full f32 [3] 2.0) 4)) ; CHECK: {{^5$}}
  (println cache)
  ; CHECK: [1 1 1]
  ; CHECK-NEXT: [3 3 3]
  ; CHECK-NEXT: [5 5 5]
  ; CHECK-NEXT: [3 3 3]
  (put cache (zeros f32 [3]) :at 1)
  (println (at cache 1)) ; CHECK: [0 0 0]
  (def deep (zeros f32 [4 1]))
  (down deep 3)
  (println deep)
  ; CHECK: [7]
  ; CHECK-NEXT: [7]
  ; CHECK-NEXT: [7]
  ; CHECK-NEXT: [0]
  ; Memory of the caller's own.
  (def m (memref.alloc {:result memref<2x4x3xf32>}))
  (store (zeros f32 [2 4 3]) m)
  (layers m (iota f32 [3]) (: [3] tensor<1xi32>))
  (for [i 0 2] (append (at m 1) (full f32 [3] 9.0) (full i32 [1] (cast i32 i))))
  (println (sum (load m) :axis 1))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0 1 2]
  ; CHECK-NEXT: [19 20 21]
  (def pair (Pair (zeros f32 [2]) (zeros bf16 [2])))
  (begin-both pair)
  (println (:a pair)) ; CHECK: f32 [2]
                      ; CHECK-NEXT: [5 0]
  (println (:b pair)) ; CHECK: bf16 [2]
                      ; CHECK-NEXT: [6 0]
  (def weights (Weights (zeros f32 [2]) (Pair (zeros f32 [2]) (zeros bf16 [2]))))
  (grow weights)
  (println "%g" (total weights)) ; CHECK: {{^6$}}
  (for [i 0 2] (println "%g" (total weights)) (grow weights))
  ; CHECK-NEXT: {{^6$}}
  ; CHECK-NEXT: {{^12$}}
  (def [weight] [(:pair weights)])
  (println (:a weight)) ; CHECK: f32 [2]
                        ; CHECK-NEXT: [6 6]
  ; A step that is replayed.
  (for [i 0 3] (replayable (append cache (* 2.0 (at cache 2)) (: [2] tensor<1xi32>))))
  (println (at cache 2))
  ; CHECK: [40 40 40]
  (def number (zeros i32 [1]))
  (increase number 3)
  (println number))
  ; CHECK: {{^\[3\]}}

; Records of tensors: fields, lists, loops over their elements.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier build %s --emit=module -o - | FileCheck %s --check-prefix=MODULE
; RUN: lispier build %s --emit=tensor -o - | FileCheck %s --check-prefix=TENSOR

(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])
(defrecord Layer [norm (tensor c f32)] [up Linear])
(defrecord Model [table (tensor v c f32)] [h (list Layer)] [scale f32])
(defrecord Cache [k (tensor l p c f32)] [v (tensor l p c f32)])

; A record is its parts: functions take and return them.
; MODULE-LABEL: func.func @apply(
; MODULE-SAME: %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?xf32>) -> tensor<?x?xf32>
(defn apply [(: x (tensor t k f32)) (: f Linear)] -> (tensor t _ f32)
  (+ (einsum "tk,nk->tn" x (:weight f)) (:bias f)))
(defn doubled [(: f Linear)] -> Linear (Linear {:bias (* 2.0 (:bias f)) :weight (* 2.0 (:weight f))}))
(defn both [(: f Linear)] [(doubled f) (sum (:weight f))])

; A generic function takes records of any sizes, and knows those that the call knows.
(defn layer [x b] (apply (* x (:norm b)) (:up b)))

; A list is a loop, whose body has a part of each stacked tensor.
; MODULE-LABEL: func.func @forward(
; MODULE: scf.for
; MODULE: tensor.extract_slice
; MODULE-NOT: scf.for
; MODULE: return
(defn forward [(: model Model) (: tokens (tensor t i32))]
  (* (:scale model) (fold [x (gather (:table model) tokens)] [b (:h model)] (+ x (apply (* x (:norm b)) (:up b))))))

; The elements of a tensor that is written in place are its memory: nothing is copied.
; TENSOR-LABEL: func.func @step(
; TENSOR-NOT: memref.alloc
; TENSOR: scf.for
; TENSOR: return
(defn step [(: cache (inout Cache)) (: row (tensor c f32)) (: pos (tensor 1 i32))]
  (for-each [k (:k cache) v (:v cache)]
    (update k row [pos 0])
    (update v row [(+ 1 (at pos 0)) 0])))
(defn put [(: k (inout (tensor p c f32))) (: row (tensor c f32))] (update k row [0 0]))
(defn walk [(: model Model) (: cache (inout Cache)) (: x (tensor t c f32))]
  (def y (fold [x x] [b (:h model) k (:k cache)]
           (put k (+ (at x 0) (at k 0)))
           (+ x (apply (* x (:norm b)) (:up b)))))
  (step cache (at y 0) (: [1] tensor<1xi32>))
  y)

; MODULE-LABEL: func.func private @layer$
; MODULE-SAME: tensor<2x3xf32>
(defn main []
  (def f (Linear (iota f32 [2 3] :axis 1) (: [1.0 2.0] tensor<2xf32>)))
  (println (apply (full f32 [1 3] 1.0) f))              ; CHECK: [4 5]
  (def [g total] (both f))
  (println (:bias g))                                   ; CHECK: [2 4]
  (println "%g %ld %ld" total (:n g) (dim (:weight g) 1)) ; CHECK: {{^6 2 3$}}
  (println (layer (full f32 [1 3] 2.0) (Layer {:norm (iota f32 [3]) :up f}))) ; CHECK: [11 12]
  ; A list: records in a vector, or one record of stacked tensors.
  (def square (Linear (iota f32 [2 2] :axis 1) (zeros f32 [2])))
  (def a (Layer {:norm (full f32 [2] 1.0) :up square}))
  (def model (Model {:table (iota f32 [4 2] :axis 0) :h [a (Layer (full f32 [2] 2.0) (doubled square))] :scale 0.5}))
  (println (:norm (:h model)))
  ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [1 1]
  ; CHECK-NEXT: [2 2]
  (println (forward model (: [1 3] tensor<2xi32>)))
  ; CHECK: [5 5]
  ; CHECK-NEXT: [15 15]
  (def stacked (Linear (full f32 [3 2 2] 1.0) (zeros f32 [3 2])))
  (for-each [s stacked i (iota i32 [3])] (println "%g %d" (sum (:weight s)) (at i)))
  ; CHECK: {{^4 0$}}
  ; CHECK: {{^4 1$}}
  ; CHECK: {{^4 2$}}
  (def cache (Cache (zeros f32 [2 3 2]) (zeros f32 [2 3 2])))
  (println (walk model cache (full f32 [1 2] 1.0)))     ; CHECK: [10 10]
  (println (at (:k cache) 1))
  ; CHECK: [2 2]
  ; CHECK-NEXT: [10 10]
  ; CHECK-NEXT: [0 0]
  (step cache (iota f32 [2]) (: [0] tensor<1xi32>))
  (println (sum (:v cache) :axis 0)))
  ; CHECK: [0 0]
  ; CHECK-NEXT: [0 2]
  ; CHECK-NEXT: [20 20]

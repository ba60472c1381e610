; What is stored in a memref is computed there, also if it is reshaped in between, and only once its sizes are checked.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: not lispier run %s -- small 2>&1 | FileCheck %s --check-prefix=SMALL
; RUN: not lispier run --target=sim %s -- small 2>&1 | FileCheck %s --check-prefix=SMALL
(require-dialect memref)

(defn repeated [x (: times index)]
  (reshape (broadcast (reshape x [(dim x 0) 1 (dim x 1)]) [(dim x 0) times (dim x 1)])
           [(* (dim x 0) times) (dim x 1)]))

; CHECK-LABEL: func.func @repeat(
; CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>
; CHECK-NOT: memref.alloc
; CHECK: %[[VIEW:.*]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1], [2]]
; CHECK-COUNT-2: llvm.call @lispier_rt_check_failed
; CHECK: group.kernel {{.*}} outs(%[[VIEW]] : memref<?x?x?xf32>)
; CHECK-NOT: memref.copy
; CHECK: return
(defn repeat [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)] (store (repeated (load x) times) y))

; Not in memory that is also read at other places.
; CHECK-LABEL: func.func @repeat_in_place(
; CHECK-SAME: %[[X:.*]]: memref<?x?xf32>
; CHECK: %[[PLACE:.*]] = memref.alloc
; CHECK: group.kernel {{.*}} outs(%[[PLACE]]
; CHECK: memref.copy %{{.*}}, %[[X]]
; CHECK: return
(defn repeat_in_place [(: x memref<?x?xf32>) (: times index)]
  (store (repeated (slice (load x) [0 0] [(/ (memref.dim x 0) times) (memref.dim x 1)]) times) x))

; A mask is made where it is used, of the numbers of elements, and is not in memory.
; CHECK-LABEL: func.func @masked(
; CHECK-NOT: memref.alloc
; CHECK: group.kernel "masked_0" kind(row)
; CHECK-NOT: group.kernel "masked
; CHECK: return
(defn masked [(: x memref<?x?x?xf32>) (: y memref<?x?x?xf32>)]
  (let [t (memref.dim x 2) seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0))]
    (store (softmax (where seen (load x) -inf)) y)))

(defn main [(: count i64) (: words !llvm.ptr)]
  (let [x (device-alloc memref<?x?xf32> [2 3]) y (device-alloc memref<?x?xf32> [(if (= count 0) 4 3) 3])
        z (device-alloc memref<?x?x?xf32> [1 2 2]) m (device-alloc memref<?x?x?xf32> [1 2 2])]
    (store (reshape (iota f32 [6]) [2 3]) x)
    (repeat x y 2)
    (println (load y)) ; VALUE: f32 [4 3]
    ; VALUE: 0 1 2
    ; VALUE: 0 1 2
    ; VALUE: 3 4 5
    (repeat_in_place y 2)
    (println (load y)) ; VALUE: f32 [4 3]
    ; VALUE-COUNT-4: 0 1 2
    (store (full f32 [1 2 2] 0.0) z)
    (masked z m)
    (println (load m)))) ; VALUE: 1 0
; VALUE: 0.5 0.5
; SMALL: error[tensor-shape]: `store`: dimension 0 of the tensor has the size 4, and of the memref 3

; A reshape that keeps the last dimension changes the others only, and an embedding is computed in the shape that it
; gets: with what is added to it, it is one kernel, and its result stays in that shape in the caller's memory.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
(require-dialect memref)

; CHECK-LABEL: func.func @encode(
; CHECK-SAME: %[[TOKENS:.*]]: memref<?xi32>, %[[TABLE:.*]]: memref<?x?xf32>, %[[PLACES:.*]]: memref<?x?xf32>, %{{.*}}
; CHECK-NOT: memref.alloc
; CHECK: %[[IDS:.*]] = memref.expand_shape %[[TOKENS]] {{\[\[}}0, 1]]
; CHECK: group.kernel "encode_0" {{.*}} ins(%[[IDS]], %[[PLACES]], %[[TABLE]]
; CHECK-NOT: group.kernel "encode
; CHECK: return
(defn encode [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: places memref<?x?xf32>) (: y memref<?x?xf32>)]
  (let [n (memref.dim tokens 0) t (memref.dim places 0) c (memref.dim table 1)]
    (store (reshape (+ (reshape (embedding (load table) (load tokens)) [(/ n t) t c]) (load places)) [n c]) y)))

; CHECK-LABEL: func.func @rows(
; CHECK: memref.expand_shape %{{.*}} {{\[\[}}0, 1], [2]]
; CHECK: return
(defn rows [(: x (tensor n c f32)) (: count index)] (sum (reshape x [count (/ n count) c]) :axis 1))

; A dimension of size 1 that an embedding gets is dropped again, so that it stays behind the embedding.
(defn columns [(: table (tensor _ 3 f32)) (: places (tensor n i32))] (gather table (% places 3) :axis 1))
(defn one [(: table (tensor 3 f32)) (: place (tensor 1 1 i32))] (gather table place :axis 0))

(defn main []
  (println (columns (reshape (iota f32 [3]) [1 3]) (iota i32 [4]))) ; VALUE: [0 1 2 0]
  (println (one (+ 1.0 (iota f32 [3])) (full i32 [1 1] 2))) ; VALUE: {{\[\[}}3]]
  (let [tokens (device-alloc memref<?xi32> [4]) table (device-alloc memref<?x?xf32> [3 2])
        places (device-alloc memref<?x?xf32> [2 2]) y (device-alloc memref<?x?xf32> [4 2])]
    (store (- (: 2 i32) (/ (iota i32 [4]) (: 2 i32))) tokens)
    (store (reshape (iota f32 [6]) [3 2]) table)
    (store (* 10.0 (reshape (iota f32 [4]) [2 2])) places)
    (encode tokens table places y)
    (println (load y)) ; VALUE: f32 [4 2]
    ; VALUE: 4 15
    ; VALUE: 24 35
    ; VALUE: 2 13
    ; VALUE: 22 33
    (println (rows (load y) 2)))) ; VALUE: 28 50
; VALUE: 24 46

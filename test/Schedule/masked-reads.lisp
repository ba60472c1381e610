; Where a condition on places chooses elements of a tensor, the others are not read, unless something else wants them or
; the condition itself is in memory.
; RUN: lispier --emit=tiles --target=sim:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
(require-dialect memref)

(defn lower [(: x (tensor n n f32))] (<= (iota i32 [n]) (iota i32 [n 1] :axis 0)))
; TILES-LABEL: gpu.func @sums_0(
; TILES: %[[MASK:.*]] = arith.cmpi sle
; TILES: vector.transfer_read {{.*}}, %{{.*}}, %[[MASK]]
; TILES-NOT: vector.transfer_read
; TILES: gpu.return
(defn sums [(: x (tensor 64 64 f32))] (sum (where (lower x) x 0.0) :axis 1))
; TILES-LABEL: gpu.func @both_0(
; TILES: %[[ALL:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{[^, ]*}} {
; TILES: arith.select %{{.*}}, %[[ALL]]
; TILES-NOT: vector.transfer_read
; TILES: vector.multi_reduction <maximumf>, %[[ALL]]
; TILES: gpu.return
(defn both [(: x (tensor 64 64 f32))] (+ (sum (where (lower x) x 1.0) :axis 1) (max x :axis 1)))
; TILES-LABEL: gpu.func @chosen_0(
; TILES-COUNT-2: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{[^, ]*}} {
; TILES: gpu.return
(defn chosen [(: x (tensor 64 64 f32)) (: c (tensor 64 64 i32))] (sum (where (= c 0) x 0.0) :axis 1))

(defn main []
  (let [x (cast f32 (iota i32 [64 64] :axis 1)) c (% (iota i32 [64 64] :axis 1) 8)]
    ; CHECK: 0 1 3 ... 1891 1953 2016
    (println (sums x))
    ; CHECK: 126 126 127 ... 1956 2017 2079
    (println (both x))
    ; CHECK: 224 224 224 ... 224 224 224
    (println (chosen x c))))

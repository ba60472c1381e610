; Threads that touch the same shared memory, one of them writing, without a barrier between them.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t write-write write-read read-write tree-reduction tile-in-a-loop histogram atomic-and-plain narrow-rows

;--- write-write.lisp
(require-dialect memref)
(defkernel last [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def one (shared i32 [1]))
  ; WRONG: [[#@LINE+3]]:3: error[sim-race]: shared memory is written at byte 0 without a barrier since thread (0, 0, 0) wrote it
  ; WRONG: in kernel `last`, block (0, 0, 0), thread (1, 0, 0)
  ; WRONG: [[#@LINE+1]]:3: note: written here
  (memref.store (memref.load m t) one 0)                        ; fixed: (when (= t 3) (memref.store (memref.load m t) one 0))
  (barrier)
  (memref.store (memref.load one 0) m t))
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (parallel [i 4] (memref.store (cast i32 i) m i))
  (launch last {:block [4]} m)
  (println "%d" (memref.load m 0)))

;--- write-read.lisp
(require-dialect memref)
(defkernel shift [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def tile (shared i32 [8]))
  ; WRONG: [[#@LINE+6]]:17: error[sim-race]: shared memory is read at byte 0 without a barrier since thread (0, 0, 0) wrote it
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  ; WRONG: [[#@LINE+1]]:3: note: written here
  (memref.store (memref.load m t) tile t)
  ; fixed: (barrier)
  (def from (if (> t 0) (- t 1) 0))
  (memref.store (memref.load tile from) m t))
; RIGHT: 6
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch shift {:block [8]} m)
  (println "%d" (memref.load m 7)))

;--- read-write.lisp
; In place: the neighbour still needs the old value.
(require-dialect memref)
(defkernel shift [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def tile (shared i32 [8]))
  (memref.store (memref.load m t) tile t)
  (barrier)
  ; WRONG: [[#@LINE+5]]:3: error[sim-race]: shared memory is written at byte 4 without a barrier since thread (0, 0, 0) read it
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  ; WRONG: [[#@LINE+1]]:12: note: read here
  (def new (memref.load tile (if (< t 7) (+ t 1) 0)))
  ; fixed: (barrier)
  (memref.store new tile t)
  (barrier)
  (memref.store (memref.load tile t) m t))
; RIGHT: 0
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch shift {:block [8]} m)
  (println "%d" (memref.load m 7)))

;--- tree-reduction.lisp
; Each step adds the upper half to the lower: the next step reads what the last wrote.
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def tile (shared i32 [16]))
  (memref.store (memref.load m t) tile t)
  (barrier)
  (loop [half (: 8 index)] :while (> half 0)
    :do (do
          (when (< t half)
            ; WRONG: [[#@LINE+3]]:13: error[sim-race]: shared memory is written at byte 4 without a barrier since thread (0, 0, 0) read it
            ; WRONG: block (0, 0, 0), thread (1, 0, 0)
            ; WRONG: [[#@LINE+1]]:51: note: read here
            (memref.store (+ (memref.load tile t) (memref.load tile (+ t half))) tile t))
          ; fixed: (barrier)
          (/ half 2)))
  (when (= t 0) (memref.store (memref.load tile 0) out 0)))
; RIGHT: 120
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch sum {:block [16]} m out)
  (println "%d" (memref.load out 0)))

;--- tile-in-a-loop.lisp
; The second barrier of a tiled product: the next tile must not come while someone reads this one.
(require-dialect memref)
(defkernel product [(: a memref<4x8xi32>) (: b memref<8x4xi32>) (: c memref<4x4xi32>)]
  (def x (thread-id :x))
  (def y (thread-id :y))
  (def as (shared i32 [4 4]))
  (def bs (shared i32 [4 4]))
  (def sum
    (fold [s (: 0 i32)] [k 0 8 4]
      ; WRONG-DAG: [[#@LINE+2]]:7: note: written here
      ; Thread 0 is the first to be done with the tile, and brings the next one.
      (memref.store (memref.load a y (+ k x)) as y x)
      (memref.store (memref.load b (+ k y) x) bs y x)
      (barrier)
      (def next (fold [p s] [j 0 4]
                  ; WRONG-DAG: [[#@LINE+2]]:27: error[sim-race]: shared memory is read at byte 0 without a barrier since thread (0, 0, 0) wrote it
                  ; WRONG-DAG: block (0, 0, 0), thread (1, 0, 0)
                  (+ p (* (memref.load as y j) (memref.load bs j x)))))
      ; fixed: (barrier)
      next))
  (memref.store sum c y x))
; RIGHT: 380
(defn main []
  (def a (device-alloc memref<4x8xi32> []))
  (def b (device-alloc memref<8x4xi32> []))
  (def c (device-alloc memref<4x4xi32> []))
  (parallel [y 4 k 8] (memref.store (cast i32 (+ y k)) a y k))
  (parallel [k 8 x 4] (memref.store (cast i32 (+ k x)) b k x))
  (launch product {:block [4 4]} a b c)
  (println "%d" (memref.load c 3 3)))

;--- histogram.lisp
(require-dialect memref)
(defkernel histogram [(: keys memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def bins (shared i32 [4]))
  (when (< t 4) (memref.store 0 bins t))
  (barrier)
  (def key (cast index (memref.load keys t)))
  ; WRONG: [[#@LINE+3]]:20: error[sim-race]: shared memory is read at byte 0 without a barrier since thread (0, 0, 0) wrote it
  ; WRONG: block (0, 0, 0), thread (4, 0, 0)
  ; WRONG: [[#@LINE+1]]:3: note: written here
  (memref.store (+ (memref.load bins key) 1) bins key)          ; fixed: (memref.atomic_rmw {:kind "addi"} (: 1 i32) bins key)
  (barrier)
  (when (< t 4) (memref.store (memref.load bins t) out t)))
; RIGHT: 3
(defn main []
  (def keys (device-alloc memref<?xi32> [10]))
  (def out (device-alloc memref<?xi32> [4]))
  (parallel [i 10] (memref.store (cast i32 (% i 4)) keys i))
  (launch histogram {:block [10]} keys out)
  (println "%d" (memref.load out 1)))

;--- atomic-and-plain.lisp
; Atomic updates may meet each other, but not a plain read.
(require-dialect memref)
(defkernel total [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def sum (shared i32 [1]))
  (when (= t 0) (memref.store 0 sum 0))
  (barrier)
  ; WRONG: [[#@LINE+2]]:3: error[sim-race]: shared memory is written at byte 0 without a barrier since thread (0, 0, 0) read it
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  (memref.atomic_rmw {:kind "addi"} (memref.load m t) sum (: 0 index))
  ; fixed: (barrier)
  ; WRONG: [[#@LINE+1]]:31: note: read here
  (when (= t 0) (memref.store (memref.load sum 0) out 0)))
; RIGHT: 28
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch total {:block [8]} m out)
  (println "%d" (memref.load out 0)))

;--- narrow-rows.lisp
; Threads that write overlapping vectors.
(require-dialect memref vector)
(defkernel spread [(: m memref<?xf32>)]
  (def t (thread-id :x))
  (def tile (shared f32 [16]))
  (def four (vector.broadcast {:result vector<4xf32>} (cast f32 t)))
  ; WRONG: [[#@LINE+3]]:3: error[sim-race]: shared memory is written at byte 0 without a barrier since thread (0, 0, 0) wrote it
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  ; WRONG: [[#@LINE+1]]:3: note: written here
  (vector.store four tile (* 4 (/ t 2)))                        ; fixed: (vector.store four tile (* 4 t))
  (barrier)
  (for [k 0 4] (memref.store (memref.load tile (+ (* 4 t) k)) m (+ (* 4 t) k))))
; RIGHT: 3.000000
(defn main []
  (def m (device-alloc memref<?xf32> [16]))
  (launch spread {:block [4]} m)
  (println "%f" (memref.load m 15)))

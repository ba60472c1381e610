; Shared memory that is read before anyone wrote it.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t no-barrier half-filled counter-not-cleared written-by-another-block

;--- no-barrier.lisp
(require-dialect memref)
(defkernel reverse [(: m memref<?xi32>)]
  (def i (thread-id :x))
  (def tile (shared i32 [16]))
  (memref.store (memref.load m i) tile i)
  ; fixed: (barrier)
  ; WRONG: [[#@LINE+2]]:17: error[sim-unwritten]: shared memory is read at byte 60 before anyone wrote it
  ; WRONG: in kernel `reverse`, block (0, 0, 0), thread (0, 0, 0)
  (memref.store (memref.load tile (- 15 i)) m i))
; RIGHT: 15
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch reverse {:block [16]} m)
  (println "%d" (memref.load m 0)))

;--- half-filled.lisp
; The last block fills only what is left of the rows, and adds up all of the tile.
(require-dialect memref)
(defkernel sums [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def i (+ (* (block-id :x) 8) t))
  (def tile (shared i32 [8]))
  (if (< i (memref.dim m 0))
    (memref.store (memref.load m i) tile t)
    (memref.store 0 out (block-id :x)))                         ; fixed: (memref.store 0 tile t))
  (barrier)
  (when (= t 0)
    ; WRONG: [[#@LINE+2]]:52: error[sim-unwritten]: shared memory is read at byte 16 before anyone wrote it
    ; WRONG: block (1, 0, 0), thread (0, 0, 0)
    (memref.store (fold [s (: 0 i32)] [k 0 8] (+ s (memref.load tile k))) out (block-id :x))))
; RIGHT: 38
(defn main []
  (def m (device-alloc memref<?xi32> [12]))
  (def out (device-alloc memref<?xi32> [2]))
  (parallel [i 12] (memref.store (cast i32 i) m i))
  (launch sums {:grid [2] :block [8]} m out)
  (println "%d" (memref.load out 1)))

;--- counter-not-cleared.lisp
(require-dialect memref)
(defkernel count [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def counter (shared i32 [1]))
  (when (< t 0) (memref.store 0 counter 0))                     ; fixed: (when (= t 0) (memref.store 0 counter 0))
  (barrier)
  (when (> (memref.load m t) 5)
    ; WRONG: [[#@LINE+2]]:5: error[sim-unwritten]: shared memory is read at byte 0 before anyone wrote it
    ; WRONG: block (0, 0, 0), thread (6, 0, 0)
    (memref.atomic_rmw {:kind "addi"} (: 1 i32) counter (: 0 index)))
  (barrier)
  (when (= t 0) (memref.store (memref.load counter 0) out 0)))
; RIGHT: 10
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch count {:block [16]} m out)
  (println "%d" (memref.load out 0)))

;--- written-by-another-block.lisp
; What block 0 wrote is gone when block 1 runs.
(require-dialect memref)
(defkernel scale [(: m memref<?xi32>)]
  (def factor (shared i32 [1]))
  (def leads (+ (thread-id :x) (block-id :x)))                  ; fixed: (def leads (thread-id :x))
  (when (= leads 0) (memref.store 3 factor 0))
  (barrier)
  (def i (+ (* (block-id :x) 4) (thread-id :x)))
  ; WRONG: [[#@LINE+2]]:38: error[sim-unwritten]: shared memory is read at byte 0 before anyone wrote it
  ; WRONG: block (1, 0, 0), thread (0, 0, 0)
  (memref.store (* (memref.load m i) (memref.load factor 0)) m i))
; RIGHT: 21
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch scale {:grid [2] :block [4]} m)
  (println "%d" (memref.load m 7)))

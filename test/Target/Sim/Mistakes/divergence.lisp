; Barriers and block-wide reductions that some threads never reach.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t barrier-under-a-condition two-barriers early-end trip-counts reduction-under-a-condition

;--- barrier-under-a-condition.lisp
(require-dialect memref)
(defkernel reverse [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def tile (shared i32 [64]))
  (when (< t 40)
    (memref.store (memref.load m t) tile t)
    ; WRONG: [[#@LINE+3]]:5: error[sim-barrier]: barrier reached by only some threads of the block
    ; WRONG: in kernel `reverse`, block (0, 0, 0), thread (0, 0, 0)
    ; WRONG: thread (40, 0, 0) has ended
    (barrier)                                                   ; fixed: )
    (memref.store (memref.load tile (- 39 t)) m t)))            ; fixed: (barrier) (when (< t 40) (memref.store (memref.load tile (- 39 t)) m t)))
; RIGHT: 39
(defn main []
  (def m (device-alloc memref<?xi32> [40]))
  (parallel [i 40] (memref.store (cast i32 i) m i))
  (launch reverse {:block [64]} m)
  (println "%d" (memref.load m 0)))

;--- two-barriers.lisp
; One barrier for each branch is not one barrier for all.
(require-dialect memref)
(defkernel swap [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def tile (shared i32 [2]))
  (memref.store (memref.load m t) tile t)
  (if (= t 0)
    ; WRONG: [[#@LINE+2]]:9: error[sim-barrier]: barrier reached by only some threads of the block
    ; WRONG: block (0, 0, 0), thread (0, 0, 0)
    (do (barrier) (memref.store (memref.load tile 1) m 0))      ; fixed: (do (memref.store 0 m 0))
    ; WRONG: [[#@LINE+1]]:9: note: thread (1, 0, 0) waits at this barrier
    (do (barrier) (memref.store (memref.load tile 0) m 1)))     ; fixed: (do (memref.store 0 m 1))) (barrier) (memref.store (memref.load tile (- 1 t)) m t)
  )
; RIGHT: 5
(defn main []
  (def m (device-alloc memref<?xi32> [2]))
  (memref.store 4 m 0)
  (memref.store 5 m 1)
  (launch swap {:block [2]} m)
  (println "%d" (memref.load m 0)))

;--- early-end.lisp
; The threads behind the end of the data leave the loop before the others meet in it.
(require-dialect memref)
(defkernel sums [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def n (memref.dim m 0))
  (def one (shared i32 [1]))
  (loop [i t] :while (< i n)                                    ; fixed: (loop [i t] :while (< i (+ n t))
    :do (do
        (when (= t 0) (memref.store (memref.load m i) one 0))
        ; WRONG: [[#@LINE+3]]:9: error[sim-barrier]: barrier reached by only some threads of the block
        ; WRONG: block (0, 0, 0), thread (0, 0, 0)
        ; WRONG: thread (3, 0, 0) has ended
        (barrier)
        (memref.store (memref.load one 0) out t)
        (+ i n))))
; RIGHT: 9
(defn main []
  (def m (device-alloc memref<?xi32> [3]))
  (def out (device-alloc memref<?xi32> [4]))
  (parallel [i 3] (memref.store 9 m i))
  (launch sums {:block [4]} m out)
  (println "%d" (memref.load out 2)))

;--- trip-counts.lisp
; A barrier in a loop that some threads run through more often.
(require-dialect memref)
(defkernel rounds [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def one (shared i32 [1]))
  (for [i 0 (+ 2 (/ t 4))]                                        ; fixed: (for [i 0 2]
    (when (= t 0) (memref.store (cast i32 i) one 0))
    ; WRONG: [[#@LINE+3]]:5: error[sim-barrier]: barrier reached by only some threads of the block
    ; WRONG: block (0, 0, 0), thread (4, 0, 0)
    ; WRONG: thread (0, 0, 0) has ended
    (barrier)
    (memref.store (memref.load one 0) m t)
    (barrier)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (launch rounds {:grid [2] :block [8]} m)
  (println "%d" (memref.load m 7)))

;--- reduction-under-a-condition.lisp
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (if (< t 5)
    ; WRONG: [[#@LINE+3]]:19: error[sim-divergence]: reduction reached by only some threads of the block
    ; WRONG: block (0, 0, 0), thread (0, 0, 0)
    ; WRONG: thread (5, 0, 0) has ended
    (memref.store (block-reduce :add (memref.load m t)) out 0)  ; fixed: (memref.store 0 out 0)
    (memref.store 0 m t))                                       ; fixed: (memref.store 0 m t)) (def all (block-reduce :add (memref.load m t))) (when (= t 0) (memref.store all out 0))
  )
; RIGHT: 10
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch sum {:block [8]} m out)
  (println "%d" (memref.load out 0)))

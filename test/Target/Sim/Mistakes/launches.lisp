; Launches that no device takes.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t too-many-threads too-deep too-many-bytes static-and-dynamic empty-block negative-grid too-tall

;--- too-many-threads.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m (+ (* 32 (thread-id :y)) (thread-id :x))))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [1056]))
  (memref.store 1 m 1055)
  ; WRONG: [[#@LINE+2]]:3: error[sim-launch]: a block of 1056 threads; at most 1024 are allowed
  ; WRONG: in the launch of kernel `fill`
  (launch fill {:block [32 33]} m)                              ; fixed: (launch fill {:block [32 32]} m)
  (println "%d" (memref.load m 1055)))

;--- too-deep.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m (thread-id :z)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [128]))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: a block of 128 threads in z; at most 64 are allowed
  (launch fill {:block [1 1 128]} m)                            ; fixed: (launch fill {:block [1 1 64]} m)
  (println "%d" (memref.load m 63)))

;--- too-many-bytes.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m (thread-id :x)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: 240000 bytes of shared memory; at most 232448 are allowed
  (launch fill {:block [8] :shared 240000} m)                   ; fixed: (launch fill {:block [8] :shared 24000} m)
  (println "%d" (memref.load m 7)))

;--- static-and-dynamic.lisp
; Together they are too much.
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (def tile (shared i32 [8192]))
  (def t (thread-id :x))
  (memref.store 1 tile t)
  (memref.store (memref.load tile t) m t))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: 232768 bytes of shared memory; at most 232448 are allowed
  (launch fill {:block [8] :shared 200000} m)                   ; fixed: (launch fill {:block [8] :shared 199000} m)
  (println "%d" (memref.load m 7)))

;--- empty-block.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m (thread-id :x)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def n (memref.dim m 0))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: grid (1, 1, 1) of blocks (0, 1, 1): sizes must be positive
  (launch fill {:block [(/ n 16)]} m)                           ; fixed: (launch fill {:block [(/ (+ n 15) 16)]} m)
  (println "%d" (memref.load m 0)))

;--- negative-grid.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m (block-id :x)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def n (memref.dim m 0))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: grid (-1, 1, 1) of blocks (1, 1, 1): sizes must be positive
  (launch fill {:grid [(- n 9)]} m)                             ; fixed: (launch fill {:grid [(- n 7)]} m)
  (println "%d" (memref.load m 0)))

;--- too-tall.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (memref.store 1 m 0))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  ; WRONG: [[#@LINE+1]]:3: error[sim-launch]: a grid of 70000 blocks in y; at most 65535 are allowed
  (launch fill {:grid [1 70000]} m)                             ; fixed: (launch fill {:grid [70000]} m)
  (println "%d" (memref.load m 0)))

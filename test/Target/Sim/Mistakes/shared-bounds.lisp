; Shared memory outside its buffer.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t past-the-end halo-too-small dynamic-past-the-end dynamic-too-small

;--- past-the-end.lisp
(require-dialect memref)
(defkernel reverse [(: m memref<?xi32>)]
  (def i (thread-id :x))
  (def tile (shared i32 [16]))
  (memref.store (memref.load m i) tile i)
  (barrier)
  ; WRONG: [[#@LINE+2]]:17: error[sim-bounds]: index 16 of dimension 0 is outside its size 16
  ; WRONG: in kernel `reverse`, block (0, 0, 0), thread (0, 0, 0)
  (memref.store (memref.load tile (- 16 i)) m i))               ; fixed: (memref.store (memref.load tile (- 15 i)) m i))
; RIGHT: 15
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch reverse {:block [16]} m)
  (println "%d" (memref.load m 0)))

;--- halo-too-small.lisp
; Room for the block's elements and the one before, but not the one behind.
(require-dialect memref)
(defkernel smooth [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def i (+ (* (block-id :x) 8) t))
  (def n (memref.dim m 0))
  (def tile (shared i32 [9]))                                   ; fixed: (def tile (shared i32 [10]))
  (memref.store (memref.load m i) tile (+ t 1))
  (when (= t 0) (memref.store (if (> i 0) (memref.load m (- i 1)) 0) tile 0))
  ; WRONG: [[#@LINE+2]]:17: error[sim-bounds]: index 9 of dimension 0 is outside its size 9
  ; WRONG: block (0, 0, 0), thread (7, 0, 0)
  (when (= t 7) (memref.store (if (< (+ i 1) n) (memref.load m (+ i 1)) 0) tile 9))
  (barrier)
  (memref.store (+ (memref.load tile t) (memref.load tile (+ t 1)) (memref.load tile (+ t 2))) out i))
; RIGHT: 24
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (def out (device-alloc memref<?xi32> [16]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch smooth {:grid [2] :block [8]} m out)
  (println "%d" (memref.load out 8)))

;--- dynamic-past-the-end.lisp
(require-dialect memref gpu arith)
(defkernel reverse [(: m memref<?xi8>)]
  (def i (thread-id :x))
  (def tile (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"}))
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: index 8 of dimension 0 is outside its size 8
  ; WRONG: block (0, 0, 0), thread (8, 0, 0)
  (memref.store (memref.load m i) tile i)
  (barrier)
  (memref.store (memref.load tile (- 15 i)) m i))
; RIGHT: 15
(defn main []
  (def m (device-alloc memref<?xi8> [16]))
  (parallel [i 16] (memref.store (cast i8 i) m i))
  (launch reverse {:block [16] :shared 8} m)                    ; fixed: (launch reverse {:block [16] :shared 16} m)
  (println "%d" (cast i32 (memref.load m 0))))

;--- dynamic-too-small.lisp
; :shared is in bytes, not in elements.
(require-dialect memref gpu arith)
(defkernel reverse [(: m memref<?xf32>)]
  (def i (thread-id :x))
  (def bytes (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"}))
  ; WRONG: [[#@LINE+2]]:13: error[sim-bounds]: a view of 64 bytes from byte 0 is outside its 16 bytes
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (def tile (memref.view {:result "memref<?xf32, #gpu.address_space<workgroup>>"} bytes (: 0 index) (: 16 index)))
  (memref.store (memref.load m i) tile i)
  (barrier)
  (memref.store (memref.load tile (- 15 i)) m i))
; RIGHT: 15.000000
(defn main []
  (def m (device-alloc memref<?xf32> [16]))
  (parallel [i 16] (memref.store (cast f32 i) m i))
  (launch reverse {:block [16] :shared 16} m)                   ; fixed: (launch reverse {:block [16] :shared 64} m)
  (println "%f" (memref.load m 0)))

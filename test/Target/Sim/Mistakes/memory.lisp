; Memory of the device that the host allocates, copies, frees and reads.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t upload-too-long download-too-long copy-of-another-shape negative-size too-large known-too-large used-after-free read-after-free copied-after-free freed-twice host-past-the-end host-before-the-start view-past-the-end

;--- upload-too-long.lisp
(require-dialect memref)
(defn send [(: to memref<?xi32>) (: from memref<?xi32>)]
  ; WRONG: [[#@LINE+1]]:3: error[sim-copy]: a copy from memory of shape 8 to memory of shape 4; both must be the same
  (upload! to from))
; RIGHT: 5
(defn main []
  (def m (device-alloc memref<?xi32> [4]))                      ; fixed: (def m (device-alloc memref<?xi32> [8]))
  (def host (memref.alloc {:result memref<?xi32>} (: 8 index)))
  (for [i 0 8] (memref.store 5 host i))
  (send m host)
  (println "%d" (memref.load m 3)))

;--- download-too-long.lisp
(require-dialect memref)
(defn receive [(: to memref<2x?xi32>) (: from memref<?x?xi32>)]
  ; WRONG: [[#@LINE+1]]:3: error[sim-copy]: a copy from memory of shape 3 x 4 to memory of shape 2 x 4; both must be the same
  (download! to from))
; RIGHT: 0
(defn main []
  (def m (device-alloc memref<?x?xi32> [3 4]))                  ; fixed: (def m (device-alloc memref<?x?xi32> [2 4]))
  (def host (memref.alloc {:result memref<2x?xi32>} (: 4 index)))
  (def rows (memref.dim m 0))
  (parallel [y rows x 4] (memref.store 0 m y x))
  (receive host m)
  (println "%d" (memref.load host 1 3)))

;--- copy-of-another-shape.lisp
; As many elements are not the same elements.
(require-dialect memref)
(defn copy [(: from memref<?x?xi32>) (: to memref<?x?xi32>)]
  ; WRONG: [[#@LINE+1]]:3: error[sim-copy]: a copy from memory of shape 2 x 6 to memory of shape 3 x 4; both must be the same
  (memref.copy from to))
; RIGHT: 7
(defn main []
  (def a (memref.alloc {:result memref<?x?xi32>} (: 2 index) (: 6 index)))
  (def b (memref.alloc {:result memref<?x?xi32>} (: 3 index) (: 4 index))) ; fixed: (def b (memref.alloc {:result memref<?x?xi32>} (: 2 index) (: 6 index)))
  (parallel [y 2 x 6] (memref.store 7 a y x))
  (copy a b)
  (println "%d" (memref.load b 1 3)))

;--- negative-size.lisp
(require-dialect memref)
(defn make [(: n index)] -> memref<?xi32>
  ; WRONG: [[#@LINE+1]]:3: error[sim-allocation]: memory of -4 elements of 4 bytes asked for; sizes cannot be negative
  (device-alloc memref<?xi32> [(- n 8)]))
; RIGHT: 1
(defn main []
  (def m (make 4))                                              ; fixed: (def m (make 9))
  (println "%ld" (cast i64 (memref.dim m 0))))

;--- too-large.lisp
(require-dialect memref)
(defn make [(: n index)] -> memref<?x2x?xf32>
  ; WRONG: [[#@LINE+1]]:3: error[sim-allocation]: memory of 4294967296 x 2 x 4294967296 elements of 4 bytes asked for; that is more than an address reaches
  (memref.alloc {:result memref<?x2x?xf32>} n n))
; RIGHT: 4
(defn main []
  (def m (make (: 4294967296 index)))                           ; fixed: (def m (make 4))
  (println "%ld" (cast i64 (memref.dim m 0))))

;--- known-too-large.lisp
(require-dialect memref)
; RIGHT: 7
(defn main []
  ; WRONG: [[#@LINE+1]]:10: error[sim-allocation]: memory of 4294967296 x 4294967296 elements of 4 bytes asked for; that is more than an address reaches
  (def m (device-alloc memref<?x?xi32> [4294967296 4294967296])) ; fixed: (def m (device-alloc memref<?x?xi32> [4 4]))
  (parallel [y 4 x 4] (memref.store 7 m y x))
  (println "%d" (memref.load m 3 3)))

;--- used-after-free.lisp
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:17: error[sim-freed]: memory is read after it was freed
  ; WRONG: in kernel `sum`, block (0, 0, 0), thread (0, 0, 0)
  (memref.store (memref.load m t) out t))
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (def out (device-alloc memref<?xi32> [4]))
  (parallel [i 4] (memref.store 3 m i))
  ; WRONG: [[#@LINE+1]]:3: note: freed here
  (device-free! m)                                              ; fixed: (launch sum {:block [4]} m out)
  (launch sum {:block [4]} m out)                               ; fixed: (device-free! m)
  (println "%d" (memref.load out 2)))

;--- read-after-free.lisp
(require-dialect memref)
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (parallel [i 4] (memref.store 3 m i))
  (device-free! m)                                              ; fixed: (do)
  ; WRONG: [[#@LINE+2]]:17: error[sim-freed]: memory is read after it was freed
  ; WRONG: note: in host code
  (println "%d" (memref.load m 2)))

;--- copied-after-free.lisp
(require-dialect memref)
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (def host (memref.alloc {:result memref<?xi32>} (: 4 index)))
  (parallel [i 4] (memref.store 3 m i))
  (memref.dealloc m)                                            ; fixed: (do)
  ; WRONG: [[#@LINE+2]]:3: error[sim-freed]: memory is read after it was freed
  ; WRONG: [[#@LINE-2]]:3: note: freed here
  (download! host m)
  (println "%d" (memref.load host 2)))

;--- freed-twice.lisp
(require-dialect memref)
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (device-free! m)
  ; WRONG: [[#@LINE+2]]:3: error[sim-freed]: memory is freed a second time
  ; WRONG: [[#@LINE-2]]:3: note: freed here
  (device-free! m)                                              ; fixed: (do)
  (println "%d" (: 1 i32)))

;--- host-past-the-end.lisp
(require-dialect memref)
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (parallel [i 4] (memref.store 3 m i))
  (def n (memref.dim m 0))                                      ; fixed: (def n (: 3 index))
  ; WRONG: [[#@LINE+2]]:17: error[sim-bounds]: index 4 of dimension 0 is outside its size 4
  ; WRONG: note: in host code
  (println "%d" (memref.load m n)))

;--- host-before-the-start.lisp
; The row before the first, of which the last element is the first row's first but one.
(require-dialect memref)
; RIGHT: 9
(defn main []
  (def m (device-alloc memref<?x4xi32> [4]))
  (parallel [y 4 x 4] (memref.store 3 m y x))
  (def n (memref.dim m 0))
  ; WRONG: [[#@LINE+1]]:3: error[sim-bounds]: index -1 of dimension 0 is outside its size 4
  (memref.store 9 m (- n 5) (: 3 index))                        ; fixed: (memref.store 9 m (- n 4) (: 3 index))
  (println "%d" (memref.load m 0 3)))

;--- view-past-the-end.lisp
; The index is inside the view, and the view is not inside the memory.
(require-dialect memref)
(defn read [(: m memref<?xi32>) (: n index)] -> i32
  (def view (memref.reinterpret_cast {:result "memref<?xi32, strided<[1], offset: ?>>"} m [0] [n] [1]))
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: memory is read at byte 28, outside its 16 bytes
  ; WRONG: note: in host code
  (memref.load view (- n 1)))
; RIGHT: 3
(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (parallel [i 4] (memref.store 3 m i))
  (println "%d" (read m 8)))                                    ; fixed: (println "%d" (read m 4)))

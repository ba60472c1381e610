; Global memory outside its memref.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t past-the-end before-the-start guard-off-by-one first-dimension last-dimension outside-its-view view-outside vector-past-the-end atomic-past-the-end in-a-device-function reinterpreted gathered-outside scattered-outside view-of-negative-size no-such-dimension

;--- past-the-end.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  ; WRONG: past-the-end.lisp:[[#@LINE+2]]:3: error[sim-bounds]: index 100 of dimension 0 is outside its size 100, at byte 400 of the memory
  ; WRONG: in kernel `fill`, block (1, 0, 0), thread (49, 0, 0)
  (memref.store (cast i32 i) m (+ i 1))                         ; fixed: (memref.store (cast i32 i) m i)
  )
; RIGHT: 99
(defn main []
  (def m (device-alloc memref<?xi32> [100]))
  (launch fill {:grid [2] :block [50]} m)
  (println "%d" (memref.load m 99)))

;--- before-the-start.lisp
(require-dialect memref)
(defkernel left [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def i (thread-id :x))
  ; WRONG: [[#@LINE+2]]:17: error[sim-bounds]: index -1 of dimension 0 is outside its size 8
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (memref.store (memref.load m (- i 1)) out i)                  ; fixed: (memref.store (memref.load m (if (> i 0) (- i 1) 0)) out i)
  )
; RIGHT: 6
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def out (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store (cast i32 i) m i))
  (launch left {:block [8]} m out)
  (println "%d" (memref.load out 7)))

;--- guard-off-by-one.lisp
(require-dialect memref)
(defkernel double [(: m memref<?xf32>)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (<= i (memref.dim m 0))                                 ; fixed: (when (< i (memref.dim m 0))
    ; WRONG: [[#@LINE+2]]:26: error[sim-bounds]: index 70 of dimension 0 is outside its size 70
    ; WRONG: block (2, 0, 0), thread (6, 0, 0)
    (memref.store (* 2.0 (memref.load m i)) m i)))
; RIGHT: 138.000000
(defn main []
  (def m (device-alloc memref<?xf32> [70]))
  (parallel [i 70] (memref.store (cast f32 i) m i))
  (launch double {:grid [3] :block [32]} m)
  (println "%f" (memref.load m 69)))

;--- first-dimension.lisp
(require-dialect memref)
(defkernel transpose [(: m memref<?x?xi32>) (: out memref<?x?xi32>)]
  (def x (thread-id :x))
  (def y (thread-id :y))
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: index 4 of dimension 0 is outside its size 4
  ; WRONG: block (0, 0, 0), thread (0, 4, 0)
  (memref.store (memref.load m y x) out y x))                   ; fixed: (memref.store (memref.load m y x) out x y))
; RIGHT: 53
(defn main []
  (def m (device-alloc memref<?x?xi32> [6 4]))
  (def out (device-alloc memref<?x?xi32> [4 6]))
  (parallel [y 6 x 4] (memref.store (cast i32 (+ (* 10 y) x)) m y x))
  (launch transpose {:block [4 6]} m out)
  (println "%d" (memref.load out 3 5)))

;--- last-dimension.lisp
; The address is still inside the allocation: the next row.
(require-dialect memref)
(defkernel fill [(: m memref<2x3x5xi32>)]
  (def x (+ (thread-id :x) 1))                                  ; fixed: (def x (thread-id :x))
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: index 5 of dimension 2 is outside its size 5, at byte
  ; WRONG: block (0, 0, 0), thread (4, 0, 0)
  (memref.store 7 m (thread-id :z) (thread-id :y) x))
; RIGHT: 7
(defn main []
  (def m (device-alloc memref<2x3x5xi32> []))
  (launch fill {:block [5 3 2]} m)
  (println "%d" (memref.load m 1 2 0)))

;--- outside-its-view.lisp
; Four elements a block: the fifth is the neighbour's.
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (def mine (memref.subview m [(* 4 (block-id :x))] [4] [1]))
  (for [i 0 5]                                                  ; fixed: (for [i 0 4]
    ; WRONG: [[#@LINE+2]]:5: error[sim-bounds]: index 4 of dimension 0 is outside its size 4
    ; WRONG: block (0, 0, 0), thread (0, 0, 0)
    (memref.store (cast i32 (block-id :x)) mine i)))
; RIGHT: 2
(defn main []
  (def m (device-alloc memref<?xi32> [12]))
  (launch fill {:grid [3]} m)
  (println "%d" (memref.load m 11)))

;--- view-outside.lisp
; The last block has two elements left, and takes four.
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (def first (* 4 (block-id :x)))
  (def left (- (memref.dim m 0) first))
  (def n (+ 4 (* 0 left)))                                      ; fixed: (def n (if (< left 4) left 4))
  ; WRONG: [[#@LINE+2]]:13: error[sim-bounds]: elements 8 to 11 of dimension 0 are outside its size 10
  ; WRONG: block (2, 0, 0), thread (0, 0, 0)
  (def mine (memref.subview m [first] [n] [1]))
  (for [i 0 n] (memref.store (cast i32 first) mine i)))
; RIGHT: 8
(defn main []
  (def m (device-alloc memref<?xi32> [10]))
  (launch fill {:grid [3]} m)
  (println "%d" (memref.load m 9)))

;--- vector-past-the-end.lisp
(require-dialect memref vector)
(defkernel copy [(: from memref<?xf32>) (: to memref<?xf32>)]
  (def i (* 4 (thread-id :x)))
  (when (< i (memref.dim from 0))                               ; fixed: (when (<= (+ i 4) (memref.dim from 0))
    ; WRONG: [[#@LINE+2]]:12: error[sim-bounds]: elements 8 to 11 of dimension 0 are outside its size 10
    ; WRONG: block (0, 0, 0), thread (2, 0, 0)
    (def v (vector.load {:result vector<4xf32>} from i))
    (vector.store v to i)))
; RIGHT: 7.000000
(defn main []
  (def from (device-alloc memref<?xf32> [10]))
  (def to (device-alloc memref<?xf32> [10]))
  (parallel [i 10] (memref.store (cast f32 i) from i))
  (launch copy {:block [4]} from to)
  (println "%f" (memref.load to 7)))

;--- atomic-past-the-end.lisp
(require-dialect memref)
(defkernel count [(: keys memref<?xi32>) (: bins memref<?xi32>)]
  (def key (cast index (memref.load keys (thread-id :x))))
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: index 4 of dimension 0 is outside its size 4
  ; WRONG: block (0, 0, 0), thread (12, 0, 0)
  (memref.atomic_rmw {:kind "addi"} (: 1 i32) bins key)         ; fixed: (memref.atomic_rmw {:kind "addi"} (: 1 i32) bins (if (< key 4) key 3))
  )
; RIGHT: 4
(defn main []
  (def keys (device-alloc memref<?xi32> [13]))
  (def bins (device-alloc memref<?xi32> [4]))
  (parallel [i 13] (memref.store (cast i32 (/ i 3)) keys i))
  (parallel [i 4] (memref.store 0 bins i))
  (launch count {:block [13]} keys bins)
  (println "%d" (memref.load bins 3)))

;--- in-a-device-function.lisp
; The place is that of the access, the thread that of the kernel.
(require-dialect memref)
(defn put [(: m memref<?xi32>) (: i index) (: v i32)]
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: index 8 of dimension 0 is outside its size 8
  ; WRONG: in kernel `fill`, block (0, 1, 0), thread (0, 0, 0)
  (memref.store v m i))
(defkernel fill [(: m memref<?xi32>)]
  (put m (+ (* 8 (block-id :y)) (thread-id :x)) 5))             ; fixed: (put m (+ (* 4 (block-id :y)) (thread-id :x)) 5))
; RIGHT: 5
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (launch fill {:grid [1 2] :block [4]} m)
  (println "%d" (memref.load m 7)))

;--- reinterpreted.lisp
; Rows of four seen as rows of five: the last of them ends behind the memory.
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>) (: columns index)]
  ; WRONG: [[#@LINE+2]]:13: error[sim-bounds]: a view of elements 0 to 19 of the memory is outside its source, elements 0 to 15
  ; WRONG: in kernel `fill`, block (0, 0, 0), thread (0, 0, 0)
  (def rows (memref.reinterpret_cast {:result "memref<4x?xi32, strided<[?, 1]>>"
                                      :static_offsets array<i64: 0>
                                      :static_sizes "array<i64: 4, -9223372036854775808>"
                                      :static_strides "array<i64: -9223372036854775808, 1>"}
                                     m [columns] [columns]))
  (memref.store 7 rows (thread-id :x) (: 3 index)))
; RIGHT: 7
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (launch fill {:block [4]} m (: 5 index))                      ; fixed: (launch fill {:block [4]} m (: 4 index))
  (println "%d" (memref.load m 15)))

;--- gathered-outside.lisp
; Lanes that the mask leaves out may name any element.
(require-dialect memref vector arith)
(defkernel copy [(: from memref<?xf32>) (: to memref<?xf32>)]
  (def numbers (arith.muli (vector.step {:result vector<4xindex>}) (: dense<3> vector<4xindex>)))
  (def mask (vector.create_mask {:result vector<4xi1>} 4))       ; fixed: (def mask (vector.create_mask {:result vector<4xi1>} 3))
  (def zeros (: dense<0.0> vector<4xf32>))
  ; WRONG: [[#@LINE+1]]:14: error[sim-bounds]: index 9 of dimension 0 is outside its size 8, at byte 36 of the memory
  (def found (vector.gather {:result vector<4xf32>} from [0] numbers mask zeros))
  (memref.store (vector.extract {:static_position array<i64: 2>} found) to 0))
; RIGHT: 6
(defn main []
  (def a (device-alloc memref<?xf32> [8]))
  (def b (device-alloc memref<?xf32> [8]))
  (parallel [i 8] (memref.store (cast f32 i) a i))
  (launch copy {:block [1]} a b)
  (println "%g" (cast f64 (memref.load b 0))))

;--- scattered-outside.lisp
(require-dialect memref vector arith)
(defkernel spread [(: to memref<?xf32>)]
  (def numbers (arith.muli (vector.step {:result vector<4xindex>}) (: dense<3> vector<4xindex>)))
  (def mask (vector.create_mask {:result vector<4xi1>} 4))       ; fixed: (def mask (vector.create_mask {:result vector<4xi1>} 3))
  ; WRONG: [[#@LINE+1]]:3: error[sim-bounds]: index 9 of dimension 0 is outside its size 8
  (vector.scatter to [0] numbers mask (: dense<2.0> vector<4xf32>)))
; RIGHT: 2
(defn main []
  (def b (device-alloc memref<?xf32> [8]))
  (launch spread {:block [1]} b)
  (println "%g" (cast f64 (memref.load b 6))))

;--- view-of-negative-size.lisp
(require-dialect memref)
(defkernel fill [(: m memref<?xi32>)]
  (def n (- (memref.dim m 0) 12))                               ; fixed: (def n (- (memref.dim m 0) 8))
  ; WRONG: [[#@LINE+1]]:13: error[sim-bounds]: a view of size -2 along dimension 0; sizes cannot be negative
  (def mine (memref.subview m [4] [n] [1]))
  (for [i 0 n] (memref.store (cast i32 i) mine i)))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [10]))
  (launch fill {:grid [1]} m)
  (println "%d" (memref.load m 5)))

;--- no-such-dimension.lisp
(require-dialect memref)
(defkernel measure [(: m memref<?xi32>) (: d index)]
  (def here (+ d 1))                                            ; fixed: (def here d)
  ; WRONG: [[#@LINE+1]]:27: error[sim-bounds]: there is no dimension 1 of memory that has rank 1
  (memref.store (cast i32 (memref.dim m here)) m 0))
; RIGHT: 10
(defn main []
  (def m (device-alloc memref<?xi32> [10]))
  (launch measure {:grid [1]} m 0)
  (println "%d" (memref.load m 0)))

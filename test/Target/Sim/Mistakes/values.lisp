; Addresses and operands that the hardware does not take.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t misaligned-load misaligned-rows misaligned-shared null-memref null-pointer division remainder division-of-vectors division-overflow shift shift-of-vectors

;--- misaligned-load.lisp
(require-dialect memref vector)
(defkernel shift [(: from memref<?xf32>) (: to memref<?xf32>)]
  (def i (* 4 (thread-id :x)))
  ; WRONG: [[#@LINE+2]]:10: error[sim-alignment]: access of 16 bytes at an address that is 4 bytes past a multiple of 16
  ; WRONG: in kernel `shift`, block (0, 0, 0), thread (0, 0, 0)
  (def v (vector.load {:result vector<4xf32>} from (+ i 1)))    ; fixed: (def v (vector.load {:result vector<4xf32>} from (+ i 4)))
  (vector.store v to i))
; RIGHT: 11.000000
(defn main []
  (def from (device-alloc memref<?xf32> [12]))
  (def to (device-alloc memref<?xf32> [8]))
  (parallel [i 12] (memref.store (cast f32 i) from i))
  (launch shift {:block [2]} from to)
  (println "%f" (memref.load to 7)))

;--- misaligned-rows.lisp
; Rows of six elements: every other row starts in the middle of a vector.
(require-dialect memref vector)
(defkernel heads [(: m memref<?x?xf32>) (: out memref<?x4xf32>)]
  (def y (thread-id :y))
  ; WRONG: [[#@LINE+2]]:10: error[sim-alignment]: access of 16 bytes at an address that is 8 bytes past a multiple of 16
  ; WRONG: block (0, 0, 0), thread (0, 1, 0)
  (def v (vector.load {:result vector<4xf32>} m y (: 0 index)))
  (vector.store v out y (: 0 index)))
; RIGHT: 13.000000
(defn main []
  (def m (device-alloc memref<?x?xf32> [2 6]))                  ; fixed: (def m (device-alloc memref<?x?xf32> [2 8]))
  (def out (device-alloc memref<?x4xf32> [2]))
  (parallel [y 2 x 6] (memref.store (cast f32 (+ (* 10 y) x)) m y x))
  (launch heads {:block [1 2]} m out)
  (println "%f" (memref.load out 1 3)))

;--- misaligned-shared.lisp
(require-dialect memref vector)
(defkernel pairs [(: m memref<?xf32>)]
  (def t (thread-id :x))
  (def tile (shared f32 [9]))
  (def two (vector.broadcast {:result vector<2xf32>} (cast f32 t)))
  ; WRONG: [[#@LINE+2]]:3: error[sim-alignment]: access of 8 bytes at an address that is 4 bytes past a multiple of 8
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (vector.store two tile (+ (* 2 t) 1))                         ; fixed: (vector.store two tile (* 2 t))
  (barrier)
  (memref.store (memref.load tile (+ (* 2 t) 1)) m t))
; RIGHT: 3.000000
(defn main []
  (def m (device-alloc memref<?xf32> [4]))
  (launch pairs {:block [4]} m)
  (println "%f" (memref.load m 3)))

;--- null-memref.lisp
(require-dialect memref llvm)
(defkernel fill [(: m memref<?xf32>)]
  ; WRONG: [[#@LINE+2]]:3: error[sim-bounds]: access through a null pointer
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (memref.store 1.0 m (thread-id :x)))
; RIGHT: 1.000000
(defn main []
  (def m (device-alloc memref<?xf32> [4]))
  (def nothing (ptr->memref memref<?xf32> (null-ptr) [4]))
  (launch fill {:block [4]} nothing)                            ; fixed: (launch fill {:block [4]} m)
  (memref.store 1.0 m 0)
  (println "%f" (memref.load m 0)))

;--- null-pointer.lisp
(require-dialect memref llvm)
(defkernel fill [(: p !llvm.ptr) (: m memref<?xi64>)]
  (when (= (thread-id :x) 2)
    ; WRONG: [[#@LINE+2]]:5: error[sim-bounds]: access through a null pointer
    ; WRONG: block (0, 0, 0), thread (2, 0, 0)
    (ptr-store! (: 1 i64) (ptr-at i64 p 1))                     ; fixed: (memref.store 1 m (: 1 index))
    ))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi64> [4]))
  (launch fill {:block [4]} (null-ptr) m)
  (println "%ld" (memref.load m 1)))

;--- division.lisp
(require-dialect memref)
(defkernel ratios [(: m memref<?xi32>) (: n memref<?xi32>)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:17: error[sim-division]: integer division by zero
  ; WRONG: block (0, 0, 0), thread (4, 0, 0)
  (memref.store (/ (memref.load m t) (memref.load n t)) m t))
; RIGHT: 7
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def n (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store 7 m i)
                  (memref.store (- 4 (cast i32 i)) n i))        ; fixed: (memref.store (- 8 (cast i32 i)) n i))
  (launch ratios {:block [8]} m n)
  (println "%d" (memref.load m 7)))

;--- remainder.lisp
; Sizes are index values; threads in a row of none.
(require-dialect memref)
(defkernel columns [(: m memref<?xi32>) (: n index)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:27: error[sim-division]: integer division by zero
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (memref.store (cast i32 (% t n)) m t))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (launch columns {:block [8]} m 0)                             ; fixed: (launch columns {:block [8]} m 3)
  (println "%d" (memref.load m 7)))

;--- division-of-vectors.lisp
(require-dialect memref vector arith)
(defkernel ratios [(: m memref<?xi32>) (: n memref<?xi32>)]
  (def i (* 4 (thread-id :x)))
  (def a (vector.load {:result vector<4xi32>} m i))
  (def b (vector.load {:result vector<4xi32>} n i))
  ; WRONG: [[#@LINE+2]]:17: error[sim-division]: integer division by zero
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  (vector.store (arith.divui a b) m i))
; RIGHT: 14
(defn main []
  (def m (device-alloc memref<?xi32> [8]))
  (def n (device-alloc memref<?xi32> [8]))
  (parallel [i 8] (memref.store 14 m i)
                  (memref.store (- 6 (cast i32 i)) n i))        ; fixed: (memref.store (- 8 (cast i32 i)) n i))
  (launch ratios {:block [2]} m n)
  (println "%d" (memref.load m 7)))

;--- division-overflow.lisp
; The one quotient that has no place: -2^31 / -1.
(require-dialect memref arith)
(defkernel negate [(: m memref<?xi32>) (: by i32)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:17: error[sim-division]: integer division overflows: the least number by -1
  ; WRONG: block (0, 0, 0), thread (1, 0, 0)
  (memref.store (/ (memref.load m t) by) m t))
; RIGHT: -2147483648
(defn main []
  (def m (device-alloc memref<?xi32> [2]))
  (memref.store 5 m 0)
  (memref.store -2147483648 m 1)
  (launch negate {:block [2]} m (: -1 i32))                     ; fixed: (launch negate {:block [2]} m (: 1 i32))
  (println "%d" (memref.load m 1)))

;--- shift.lisp
; What a shift by 32 gives: 0, the number, or nothing that is defined.
(require-dialect memref arith)
(defkernel bits [(: m memref<?xi32>)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:17: error[sim-shift]: shift of 32 bits by 32; the amount is from 0 to 31
  ; WRONG: in kernel `bits`, block (0, 0, 0), thread (32, 0, 0)
  (memref.store (arith.shli (: 1 i32) (cast i32 t)) m t))
; RIGHT: -2147483648
(defn main []
  (def m (device-alloc memref<?xi32> [33]))
  (launch bits {:block [33]} m)                                 ; fixed: (launch bits {:block [32]} m)
  (println "%d" (memref.load m 31)))

;--- shift-of-vectors.lisp
(require-dialect memref arith vector)
(defkernel halve [(: m memref<?xi8>) (: by memref<?xi8>)]
  (def v (vector.load {:result vector<4xi8>} m (: 0 index)))
  (def n (vector.load {:result vector<4xi8>} by (: 0 index)))
  ; WRONG: [[#@LINE+2]]:17: error[sim-shift]: shift of 8 bits by -1; the amount is from 0 to 7
  ; WRONG: in kernel `halve`, block (0, 0, 0), thread (0, 0, 0)
  (vector.store (arith.shrui v n) m (: 0 index)))
; RIGHT: 8
(defn main []
  (def m (device-alloc memref<?xi8> [4]))
  (def by (device-alloc memref<?xi8> [4]))
  (parallel [i 4] (memref.store (: 64 i8) m i)
                  (memref.store (cast i8 (- i 1)) by i))        ; fixed: (memref.store (cast i8 i) by i))
  (launch halve {:block [1]} m by)
  (println "%d" (cast i32 (memref.load m 3))))

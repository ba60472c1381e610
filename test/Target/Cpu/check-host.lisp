; What host code cannot do is said with its place and function or sizes, in this process and in an executable, instead of
; a signal or a heap that is overrun.
; RUN: not lispier run %s -- zero 2>&1 | FileCheck %s --check-prefix=ZERO
; RUN: not lispier run --target=sim %s -- zero 2>&1 | FileCheck %s --check-prefix=SIM
; RUN: lispier build %s -o %t && not %t zero 2>&1 | FileCheck %s --check-prefix=ZERO
; RUN: not %t least argument 2>&1 | FileCheck %s --check-prefix=LEAST
; RUN: not %t a lane is zero 2>&1 | FileCheck %s --check-prefix=LANE
; RUN: not %t one more is a loop 2>&1 | FileCheck %s --check-prefix=LOOP
; RUN: not %t these seven arguments are a negative size 2>&1 | FileCheck %s --check-prefix=SIZE
; RUN: not %t and these eight arguments make a large size 2>&1 | FileCheck %s --check-prefix=LARGE
; RUN: not %t with nine arguments there is a wrong copy here 2>&1 | FileCheck %s --check-prefix=COPY
; RUN: not %t a wrong copy of memory of unknown rank has eleven arguments 2>&1 | FileCheck %s --check-prefix=UNRANKED
; RUN: not lispier run --target=sim %s -- a wrong copy of memory of unknown rank has eleven arguments 2>&1 | FileCheck %s --check-prefix=UNRANKED
; RUN: not %t twelve arguments ask this program for a dimension that is not there 2>&1 | FileCheck %s --check-prefix=RANK
; RUN: %t ten arguments are those that are no mistake at all 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not={{.}}
(require-dialect memref arith vector)

; ZERO: {{^}}before
; ZERO-NEXT: check-host.lisp:[[#@LINE+4]]:3: error[cpu-division]: integer division by zero, in function `ratio`
; SIM: check-host.lisp:[[#@LINE+3]]:3: error[sim-division]: integer division by zero, in function `ratio`
; LEAST: check-host.lisp:[[#@LINE+2]]:3: error[cpu-division]: integer division overflows: the least number by -1, in function `ratio`
(defn ratio [(: a i32) (: b i32)] -> i32
  (/ a b))

; LANE: check-host.lisp:[[#@LINE+2]]:3: error[cpu-division]: integer division by zero, in function `ratios`
(defn ratios [(: a vector<2x2xi64>) (: b vector<2x2xi64>)] -> vector<2x2xi64>
  (arith.remui a b))

; LOOP: check-host.lisp:[[#@LINE+3]]:19: error[cpu-division]: integer division by zero, in function `divide_parallel`
(defn divide [(: m memref<?xi32>) (: n memref<?xi32>)]
  (parallel [i (memref.dim m 0)]
    (memref.store (/ (memref.load m i) (memref.load n i)) m i)))

; SIZE: check-host.lisp:[[#@LINE+3]]:3: error[cpu-allocation]: memory of -1 elements of 4 bytes asked for; sizes cannot be negative
; LARGE: check-host.lisp:[[#@LINE+2]]:3: error[cpu-allocation]: memory of 4611686018427387904 elements of 4 bytes asked for; that is more than an address reaches
(defn make [(: n index)] -> memref<?xi32>
  (memref.alloc {:result memref<?xi32>} n))

; COPY: check-host.lisp:[[#@LINE+2]]:3: error[cpu-copy]: a copy from memory of shape 4 to memory of shape 3; both must be the same
(defn duplicate [(: from memref<?xi32>) (: to memref<?xi32>)]
  (memref.copy from to))

; UNRANKED: check-host.lisp:[[#@LINE+2]]:3: error[{{cpu|sim}}-copy]: a copy from memory of shape 4 to memory of shape 2 x 3; both must be the same
(defn duplicate_any [(: from memref<*xi32>) (: to memref<*xi32>)]
  (memref.copy from to))

; RANK: check-host.lisp:[[#@LINE+2]]:3: error[cpu-dimension]: there is no dimension 11 of memory that has rank 1
(defn extent [(: m memref<?xi32>) (: dimension index)] -> index
  (memref.dim m dimension))

; RIGHT: before
; RIGHT-NEXT: -3
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println "before")
  (def zero (- (cast i32 argc) (cast i32 argc)))
  (def m (make 4))
  (def n (make 4))
  (parallel [i 4] (memref.store 9 m i) (memref.store (if (= argc 5) (cast i32 i) 3) n i))
  (when (= argc 1) (println "%d" (ratio 1 zero)))
  (when (= argc 2) (println "%d" (ratio (: -2147483648 i32) (- zero 1))))
  (def wide (vector.broadcast {:result vector<2x2xi64>} (if (= argc 4) 0 argc)))
  (when (= argc 4) (vector.print (ratios wide wide)))
  (divide m n)
  (when (= argc 7) (memref.dealloc (make (- (cast index zero) 1))))
  (when (= argc 8) (memref.dealloc (make (* (cast index argc) (: 576460752303423488 index)))))
  (when (= argc 9) (duplicate m (make 3)))
  (when (= argc 12) (println (extent m (- (cast index argc) 1))))
  (when (!= (extent m (cast index zero)) 4) (println "no size"))
  (def other (cast memref<*xi32> (memref.alloc {:result memref<2x3xi32>})))
  (when (= argc 11) (duplicate_any (cast memref<*xi32> m) other))
  (duplicate_any (cast memref<*xi32> m) (cast memref<*xi32> n))
  (duplicate m n)
  (println "%d" (ratio (memref.load n 0) -1)))

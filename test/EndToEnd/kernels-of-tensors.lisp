; Threads read elements and sizes of tensors, which are values: what the launch's memory is written with later, or what the
; kernel writes elsewhere, does not change them.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: lispier run %t/right.lisp | FileCheck %s
; RUN: lispier run --fuse=false %t/right.lisp | FileCheck %s
; RUN: lispier run --target=sim %t/right.lisp | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %t/right.lisp | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %t/right.lisp -o - | FileCheck %s --check-prefix=PTX
; RUN: not lispier --emit=ptx --target=cuda:sm_90a %t/whole.lisp -o - 2>&1 | FileCheck %s --check-prefix=WHOLE
; RUN: not lispier run %t/sizes.lisp 2>&1 | FileCheck %s --check-prefix=SIZES
; RUN: not lispier run %t/known.lisp 2>&1 | FileCheck %s --check-prefix=KNOWN
; RUN: not lispier run --target=sim %t/outside.lisp 2>&1 | FileCheck %s --check-prefix=OUTSIDE
;--- right.lisp
(require-dialect memref)
; PTX: .entry add
; PTX-NOT: call
; PTX: ret;
(defkernel add [(: x (tensor n f32)) (: y (tensor n 2 f32)) (: out memref<?xf32>)]
  (def i (thread-id :x))
  (when (< i n) (memref.store (+ (at x i) (at y i 1)) out i)))
(defn numbers [(: n index)] -> (tensor _ f32) (iota f32 [n]))
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def n (+ 4 (cast index argc)))
  (def out (device-alloc memref<?xf32> [n]))
  (def x (numbers n))
  (def y (reshape (iota f32 [(* 2 n)]) [n 2]))
  (launch add {:block [8]} x y out)
  ; CHECK: {{^10$}}
  (println "%g" (cast f64 (memref.load out 3)))
  (def first (load out))
  (launch add {:block [8]} first (* 2.0 y) out)
  ; CHECK: {{^\[3 10 17\]$}}
  (println (slice (load out) [0] [3]))
  ; CHECK: {{^\[1 4 7\]$}}
  (println (slice first [0] [3]))
  ; CHECK: {{^\[0 1 2\]$}}
  (println (slice x [0] [3])))
;--- whole.lisp
(require-dialect memref)
(defkernel scale [(: x (tensor 4 f32)) (: out memref<?xf32>)]
  ; WHOLE: whole.lisp:[[#@LINE+1]]:21: error{{.*}}a kernel reads elements and sizes of `tensor<4xf32>`, a parameter, and this is an op on the whole tensor; compute it before the launch
  (memref.store (at (* 2.0 x) 1) out 0))
(defn main []
  (def out (device-alloc memref<?xf32> [4]))
  (launch scale {:block [1]} (iota f32 [4]) out))
;--- sizes.lisp
(require-dialect memref)
(defkernel add [(: x (tensor n f32)) (: y (tensor n f32)) (: out memref<?xf32>)]
  (memref.store (+ (at x 0) (at y 0)) out 0))
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def out (device-alloc memref<?xf32> [4]))
  (def n (+ 3 (cast index argc)))
  ; SIZES: sizes.lisp:[[#@LINE+1]]:{{.*}}error[tensor-size]: `add`: the size `n` is 3, and 6 in argument 2
  (launch add {:block [1]} (iota f32 [n]) (iota f32 [(* 2 n)]) out))
;--- known.lisp
(require-dialect memref)
(defkernel add [(: x (tensor n f32)) (: y (tensor n f32)) (: out memref<?xf32>)]
  (memref.store (+ (at x 0) (at y 0)) out 0))
(defn main []
  (def out (device-alloc memref<?xf32> [4]))
  ; KNOWN: known.lisp:[[#@LINE+1]]:43: error[tensor-size]: `add`: the size `n` is 4 in `x`, f32 [4], and 5 in `y`, f32 [5]
  (launch add {:block [1]} (iota f32 [4]) (iota f32 [5]) out))
;--- outside.lisp
(require-dialect memref)
(defkernel read [(: x (tensor 4 f32)) (: out memref<?xf32>) (: i index)]
  ; OUTSIDE: outside.lisp:[[#@LINE+1]]:17: error[sim-bounds]: index 4 of dimension 0 is outside its size 4
  (memref.store (at x i) out 0))
(defn main []
  (def out (device-alloc memref<?xf32> [4]))
  (launch read {:block [1]} (iota f32 [4]) out 4))

; Tensors as memory, for kernels that take memrefs.
; RUN: split-file --leading-lines %s %t
; RUN: lispier run %t/right.lisp | FileCheck %s
; RUN: lispier run --target=sim %t/right.lisp | FileCheck %s
; RUN: lispier --emit=module %t/right.lisp | FileCheck %s --check-prefix=IR
; RUN: not lispier check %t/errors.lisp 2>&1 | FileCheck %s --check-prefix=ERRORS
;--- right.lisp
(require-dialect memref)
(defkernel double [(: x memref<?xf32>)]
  (def i (thread-id :x))
  (when (< i (memref.dim x 0)) (memref.store (* 2.0 (memref.load x i)) x i)))
; IR-LABEL: func.func @main
; IR: arith.addf
; IR: %[[N:.*]] = tensor.dim %[[SUM:[0-9]+]]
; IR: %[[M:.*]] = gpu.alloc{{ *}}(%[[N]]) : memref<?xf32>
; IR: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[M]]
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (iota f32 [(+ 4 (cast index argc))]))
  (def y (+ x 1.0))
  (def m (to-memref y))
  (launch double {:block [8]} m)
  ; The kernel writes the memory, and not the tensor.
  ; CHECK: {{^\[2 4 6 8\]$}}
  ; CHECK: {{^\[1 2 3 4\]$}}
  (println (slice (load m) [0] [4]))
  (println (slice y [0] [4]))
  (device-free! m))
;--- errors.lisp
(require-dialect memref)
(defkernel double [(: x memref<?xf32>)] (memref.store 0.0 x (thread-id :x)))
(defn first [(: x memref<?xf32>)] -> f32 (memref.load x 0))
(defn main []
  (def x (iota f32 [4]))
  ; ERRORS: errors.lisp:[[#@LINE+2]]:31: error[call-type]: argument 1 of the kernel `double` has type tensor<4xf32>, not memref<?xf32>
  ; ERRORS: hint: (to-memref x) is memory with its numbers; a kernel that only reads it may declare the parameter as a tensor
  (launch double {:block [8]} x)
  ; ERRORS: errors.lisp:[[#@LINE+2]]:{{[0-9]+}}: error[call-type]: argument 1 of `first` has type {{.*}}, not memref<?xf32>
  ; ERRORS: hint: (to-memref tensor) is memory with its numbers
  (println (first x))
  ; ERRORS: errors.lisp:[[#@LINE+2]]:{{[0-9]+}}: error[call-type]: argument 1 of `first` has type memref<4xf32>, not memref<?xf32>
  ; ERRORS: hint: (memref.cast {:result memref<?xf32>} memory) converts; a parameter without a type takes any
  (println (first (to-memref x)))
  ; ERRORS: errors.lisp:[[#@LINE+1]]:{{[0-9]+}}: error[tensor-operand]: `to-memref` takes a tensor, not i64
  (to-memref 5))

; Memory of a driver's device that is freed twice is an error with its place. The C library never sees the address.
; RUN: %with-fake-drivers not lispier run --target=cuda %s 2>&1 | FileCheck %s
; RUN: %with-fake-drivers not lispier run --target=rocm %s 2>&1 | FileCheck %s
(require-dialect memref)

(defn main []
  (def m (device-alloc memref<?xi32> [4]))
  (def n (device-alloc memref<?xi32> [4]))
  (device-free! m)
  (device-free! n)
  ; CHECK: freed-twice.lisp:[[#@LINE+1]]:{{.*}}error: free: memory is freed a second time
  (device-free! m))

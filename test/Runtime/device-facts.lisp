; What a program can tell of its device: the product's name, and the most bytes that were allocated at once.
; RUN: %with-fake-drivers lispier run --target=cuda %s | FileCheck %s --check-prefixes=CHECK,GPU
; RUN: %with-fake-drivers lispier run --target=rocm %s | FileCheck %s --check-prefixes=CHECK,GPU
; RUN: lispier run %s | FileCheck %s --check-prefixes=CHECK,HOST
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefixes=CHECK,HOST
; RUN: lispier build %s -o %t && %t | FileCheck %s --check-prefixes=CHECK,HOST
(require-dialect memref)
(extern-fn lispier_device_name (-> [] [!llvm.ptr]))
(extern-fn lispier_memory_used (-> [] [i64]))

(defn main []
  (def a (device-alloc memref<?xi32> [(: 10000 index)]))
  (def b (device-alloc memref<?xi32> [(: 20000 index)]))
  (device-free! b)
  ; GPU: 'Fake GPU{{.*}}'
  ; HOST: ''
  (println "'%s'" (lispier_device_name))
  (def bytes (lispier_memory_used))
  ; Of allocations in multiples of 512 bytes; without a GPU the process has some megabytes.
  ; CHECK: enough
  (println "%s" (if (>= bytes 120000) (cstring "enough") (cstring "too few")))
  ; GPU: exact
  (println "%s" (if (< bytes 140000) (cstring "exact") (cstring "more")))
  (device-free! a))

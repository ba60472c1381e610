; A grid of 0 has no blocks and nothing to do, on every target: data may be empty. Drivers call it an error; the runtime
; does not ask them (DeviceTest.cpp). The block must still be one that a device takes, and a block of 0 is an error.
; RUN: lispier run --target=sim %s | FileCheck %s --implicit-check-not={{.}}
; RUN: lispier run --target=cpu %s | FileCheck %s --implicit-check-not={{.}}
; RUN: not lispier run --target=sim %s -- 2000 2>&1 | FileCheck %s --check-prefix=SIM
; RUN: not lispier run --target=cpu %s -- 2000 2>&1 | FileCheck %s --check-prefix=CPU
; An error of plain --target=cpu has that name.
; SIM: :[[#@LINE+12]]:3: error[sim-launch]: a block of 1025 threads in x; at most 1024 are allowed
; CPU: :[[#@LINE+11]]:3: error[cpu-launch]: a block of 1025 threads in x; at most 1024 are allowed
(require-dialect memref)
(defkernel double [(: m memref<?xi32>)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< i (memref.dim m 0))
    (memref.store (* 2 (memref.load m i)) m i)))
; CHECK: 0 elements
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def n (memref.dim (device-alloc memref<?xi32> [(* 0 (cast index argc))]) 0))
  (def m (device-alloc memref<?xi32> [n]))
  (def threads (+ 256 (* 769 (cast index argc))))
  (launch double {:grid [(/ (+ n 255) 256) 0] :block [threads]} m)
  (println "%ld elements" (cast i64 n)))

; What the host asks of a driver's device is looked at before the driver sees it: sizes, and the shapes of copies.
; RUN: %with-fake-drivers not lispier run --target=cuda %s -- 1 2>&1 | FileCheck %s --check-prefix=SIZE -DTARGET=cuda
; RUN: %with-fake-drivers not lispier run --target=rocm %s -- 1 2>&1 | FileCheck %s --check-prefix=SIZE -DTARGET=rocm
; RUN: %with-fake-drivers not lispier run --target=cuda %s -- 1 2 2>&1 | FileCheck %s --check-prefix=COPY -DTARGET=cuda
; RUN: %with-fake-drivers not lispier run --target=rocm %s -- 1 2 2>&1 | FileCheck %s --check-prefix=COPY -DTARGET=rocm
; RUN: %with-fake-drivers lispier run --target=cuda %s | FileCheck %s
(require-dialect memref)

; SIZE: [[#@LINE+2]]:3: error[[[TARGET]]-allocation]: memory of -4 elements of 4 bytes asked for; sizes cannot be negative
(defn make [(: n index)] -> memref<?xi32>
  (device-alloc memref<?xi32> [n]))

; COPY: [[#@LINE+2]]:3: error[[[TARGET]]-copy]: a copy from memory of shape 8 to memory of shape 12; both must be the same
(defn send [(: to memref<?xi32>) (: from memref<?xi32>)]
  (upload! to from))

; CHECK: 8 5
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def host (memref.alloc {:result memref<?xi32>} (: 8 index)))
  (for [i 0 8] (memref.store 5 host i))
  (def m (make (if (= argc 1) -4 (if (= argc 2) 12 8))))
  (send m host)
  (download! host m)
  (println "%ld %d" (cast i64 (memref.dim m 0)) (memref.load host 7)))

; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO

; What macros make has a chain of places, the kernels' module and shared memory of both kinds too; names are kebab-case.
; PTX: .entry scale_all(
; PTX: .loc
; PTX: bar.sync
; HSACO: <scale_all>:
(require-dialect gpu memref)
(defmacro kernel-of [name]
  `(defkernel ~name [(: m memref<?xf32>)]
     (def s (shared f32 [64]))
     (memref.store (memref.load m (thread-id :x)) s (thread-id :x))
     (barrier)
     (memref.store (* (memref.load s 0) 2.0) m (thread-id :x))))
(kernel-of scale-all)
(defmacro shared-words []
  `(memref.view {:result "memref<64xf32, #gpu.address_space<workgroup>>"}
     (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"}) 0))
(defkernel turn-all [(: m memref<?xf32>)]
  (def s (shared-words))
  (memref.store (memref.load m (thread-id :x)) s (thread-id :x))
  (barrier)
  (memref.store (memref.load s (- 63 (thread-id :x))) m (thread-id :x)))
(defmacro over [m] `(parallel [i 64] (memref.store 1.0 ~m i)))
; PTX: .entry fill_ones_kernel(
(defn fill-ones [(: m memref<?xf32>)]
  (over m)
  (launch scale-all {:grid [1] :block [64]} m)
  (launch turn-all {:grid [1] :block [64] :shared 256} m))

; What a macro of a macro made is where it stands in the inner one.
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=INNER
(defmacro twice-of [x]
  `(* ~x 2.0))
(defmacro four-times [x]
  `(twice-of (twice-of ~x)))
; INNER: .entry quadruple(
; INNER: .loc {{[0-9]+}} [[#@LINE-4]] 4
; INNER-NEXT: add.f32
(defkernel quadruple [(: m memref<?xf32>)]
  (memref.store (four-times (memref.load m 0)) m 0))
(defn run-quadruple [(: m memref<?xf32>)]
  (launch quadruple {:grid [1] :block [1]} m))

; A recipe followed to the letter makes a program that runs, on the GPU of its vendor or of the other: the kernels are the
; recipe's, what brings them to the device is ours. (The fake drivers know a kernel `places` of this meaning.)
; RUN: %with-fake-drivers lispier run --pipeline=file --target=cuda %s | FileCheck %s
; RUN: %with-fake-drivers lispier run --pipeline=file --target=rocm %s | FileCheck %s
; RUN: lispier build --pipeline=file --target=cuda:sm_80,rocm:gfx942 %s -o %t
; RUN: %with-fake-drivers LISPIER_TARGET=rocm %t | FileCheck %s
; The simulator takes the kernels as they are before the first pass of a vendor.
; RUN: lispier run --pipeline=file --target=sim %s | FileCheck %s
; RUN: lispier --emit=loops --pipeline=file --print-pipeline --target=sim %s 2>&1 | FileCheck %s --check-prefix=SIM
; SIM: builtin.module(lispier-add-kernels{},gpu-kernel-outlining{{[^,]*}},convert-scf-to-cf{{[^,]*}},lispier-warn-about-host-linalg,
; RUN: not lispier run --pipeline=file %s 2>&1 | FileCheck %s --check-prefix=CPU
; CPU: error[target-mismatch]: these passes are for `rocm`, and the target is `cpu`

; Kernels that take whole memrefs get them: seven numbers for one of rank two.
; RUN: sed 's/ :use-bare-ptr-memref-call-conv true//' %s > %t.lisp
; RUN: lispier --pipeline=file --emit=target --target=cuda:sm_80 %t.lisp | FileCheck %s --check-prefix=WHOLE
; WHOLE: llvm.alloca {{.*}} !llvm.struct<(ptr, ptr, i64, i64, i64, i64, i64, i32)>
(require-dialect gpu memref)
(compilation
  (target rocm
    (pass gpu-kernel-outlining)
    (pass convert-scf-to-cf)
    (pass rocdl-attach-target {:chip "gfx90a"})
    (pass convert-gpu-to-rocdl {:chipset "gfx90a" :runtime "HIP" :use-bare-ptr-memref-call-conv true})
    (pass reconcile-unrealized-casts)
    (pass gpu-module-to-binary)
    (pass gpu-to-llvm)))

; CHECK: {{^3 21$}}
(defn main []
  (def out (memref.alloc {:result "memref<1x8xi32>"}))
  (def scale (: 3 i32))
  (launch {:name places :grid [2] :block [4]}
    (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
    (def _ (memref.load out 0 i)) ; Arguments are in the order of their uses.
    (memref.store (* scale (cast i32 i)) out 0 i))
  (println "%d %d" (memref.load out 0 1) (memref.load out 0 7))
  (memref.dealloc out))

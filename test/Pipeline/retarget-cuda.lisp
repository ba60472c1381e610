; A recipe for NVIDIA's GPUs makes code for AMD's, too: each of its passes once, with the options that both know.
; RUN: lispier --pipeline=file --emit=hsaco --target=rocm:gfx1100 --print-pipeline %s -o %t.hsaco 2>&1 | FileCheck %s
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO
(require-dialect linalg memref math)
; CHECK: convert-parallel-loops-to-gpu{{.*}}rocdl-attach-target{O=3 {{.*}}chip=gfx1100{{.*}}gpu.module(lispier-expand-math{ instructions=false scaling=false standalone=true},
; CHECK-SAME: convert-scf-to-cf{{[^,]*}},lispier-math-to-intrinsics,lispier-read-launch-sizes,convert-gpu-to-rocdl{{{.*}}chipset=gfx1100
; CHECK-NOT: nvvm
; CHECK-NOT: has-redux
(compilation
  (target cuda
    (pass convert-linalg-to-parallel-loops)
    (pass gpu-map-parallel-loops)
    (pass convert-parallel-loops-to-gpu)
    (pass lower-affine)
    (pass gpu-kernel-outlining)
    (pass nvvm-attach-target {:chip "sm_70" :O 3})
    (pass convert-scf-to-cf)
    (pass convert-gpu-to-nvvm {:has-redux true})
    (pass gpu-module-to-binary)))
; The sine of a huge angle is behind a condition, which the recipe has no pass for any more.
; HSACO: <main_kernel>:
; HSACO: s_endpgm
(defn main [(: a memref<64xf32>)]
  (linalg.fill 1.0 a)
  (parallel [i 64] (memref.store (math.sin (memref.load a i)) a i)))

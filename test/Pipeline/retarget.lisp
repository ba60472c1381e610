; RUN: lispier --pipeline=file --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: FileCheck %s --input-file=%t.ptx.json --check-prefix=JSON
; RUN: lispier --pipeline=file --emit=hsaco --target=rocm:gfx1100 %s -o %t.hsaco
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO
; RUN: lispier --pipeline=file --emit=ptx --target=cuda:sm_80 --print-pipeline %s 2>&1 | FileCheck %s --check-prefix=PASSES
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=DEFAULT
(require-dialect linalg memref arith math)

; A recipe for AMD's GPUs makes code for NVIDIA's as well: each vendor pass has its counterpart, options that only one
; knows are dropped, and the last mile needs neither vendor's software.
; PASSES: gpu-kernel-outlining{{.*}}lispier-merge-gpu-modules{{.*}}nvvm-attach-target{{{.*}}chip=sm_80
; PASSES-SAME: lispier-expand-math{{.*}}convert-gpu-to-nvvm{{{.*}}use-bare-ptr-memref-call-conv=true
; PASSES-NOT: rocdl
; PASSES-NOT: gpu-module-to-binary
(compilation
  (target rocm
    (pass convert-linalg-to-parallel-loops)
    (pass scf-parallel-loop-tiling {:parallel-loop-tile-sizes "8,8"})
    (pass gpu-map-parallel-loops)
    (pass convert-parallel-loops-to-gpu)
    (pass lower-affine)
    (pass canonicalize)
    (pass gpu-kernel-outlining)
    (pass convert-scf-to-cf)
    (pass rocdl-attach-target {:chip "gfx90a"})
    (pass convert-gpu-to-rocdl {:chipset "gfx90a" :runtime "HIP" :use-bare-ptr-memref-call-conv true})
    (pass reconcile-unrealized-casts)
    (pass gpu-module-to-binary)
    (pass gpu-to-llvm)))

; To the letter: the recipe's tiles of 8 by 8. By default our own of 16 by 16 replace them.
; PTX: .entry [[KERNEL:main_kernel]](
; PTX: .maxntid 8, 8, 1
; PTX-NOT: call
; JSON: "block": [
; JSON-NEXT: 8,
; JSON-NEXT: 8,
; HSACO: <main_kernel>:
; HSACO: s_endpgm
; DEFAULT: .maxntid 16, 16, 1
(defn main [(: a memref<64x64xf32>)]
  (linalg.generic {:indexing_maps ["affine_map<(i, j) -> (i, j)>"]
                   :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>"]}
    a
    (region (block [(: x f32)] (linalg.yield (math.tanh x))))))

// RUN: not lispier-opt %s -lispier-emit-gpu=target=cuda:sm_90b 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not lispier-opt %s -lispier-emit-gpu=target=rocm:fiji 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not lispier-opt %s -lispier-emit-gpu=target=cude 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not lispier-opt %s -lispier-emit-gpu='target=cuda format=elf' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not lispier-opt %s -lispier-emit-gpu='target=cuda format=hsaco' 2>&1 | FileCheck %s --check-prefix=OTHER-FORMAT
// RUN: not lispier-opt %s -lispier-emit-gpu='target=cuda output=/nowhere/x.ptx' 2>&1 | FileCheck %s --check-prefix=WRITE

// CHIP: error: no cuda chip `sm_90b`; did you mean `sm_90`
// OTHER: error: no rocm chip `fiji`; there are gfx942, gfx950, gfx90a, gfx1100,
// TARGET: error: no GPU target `cude`; did you mean `cuda`?
// FORMAT: error: no GPU format `elf`; there are ptx, cubin, fatbin, hsaco
// OTHER-FORMAT: error: no hsaco can be made for cuda
// WRITE: error: cannot write /nowhere/x.ptx: No such file or directory
gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}

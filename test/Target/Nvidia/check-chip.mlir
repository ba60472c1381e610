// RUN: not lispier-opt %s -pass-pipeline="builtin.module(lispier-attach-target{target=cuda:sm_80},gpu.module(lispier-check-chip))" 2>&1 | FileCheck %s
// RUN: lispier-opt %s -pass-pipeline="builtin.module(lispier-attach-target{target=cuda:sm_90a},gpu.module(lispier-check-chip))"

// CHECK: [[#@LINE + 3]]:5: error: op `nvvm.wgmma.fence.aligned` needs sm_90a, and the target is sm_80
gpu.module @kernels {
  gpu.func @newer() kernel {
    nvvm.wgmma.fence.aligned
    gpu.return
  }
}

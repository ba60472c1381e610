// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-mark-waiting-kernels))" | FileCheck %s

// One that lets the next begin does not wait itself by that. Kernels are the same in the LLVM dialect.
// CHECK: gpu.func @waits() kernel attributes {device.waits}
// CHECK: gpu.func @lets() kernel {
// CHECK: llvm.func @lowered() attributes {device.waits, gpu.kernel}
gpu.module @kernels {
  gpu.func @waits() kernel {
    nvvm.griddepcontrol wait
    gpu.return
  }
  gpu.func @lets() kernel {
    nvvm.griddepcontrol launch_dependents
    gpu.return
  }
  llvm.func @lowered() attributes {gpu.kernel} {
    nvvm.griddepcontrol wait
    llvm.return
  }
}

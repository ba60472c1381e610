// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-pass-by-value))" | FileCheck %s

// What launches pass as an array is a parameter, which the kernel reads where it is.
// CHECK-LABEL: llvm.func @tile(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant})
gpu.module @kernels {
  llvm.func @tile(%memory: !llvm.ptr, %map: !llvm.ptr)
      attributes {gpu.kernel, nvvm.kernel, device.kernel = #device.kernel<parameters = [!llvm.ptr, !llvm.array<16 x i64>]>} {
    llvm.return
  }
}

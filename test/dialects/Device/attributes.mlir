// RUN: lispier-opt %s | lispier-opt | FileCheck %s

// CHECK: gpu.module @kernels attributes {device.target = "cuda:sm_90a"}
// CHECK: device.kernel = #device.kernel<parameters = [!llvm.ptr, i64], block = [128, 1, 1], sharedBytes = 4096, dynamicShared = true>, device.waits
// CHECK: device.kernel = #device.kernel<parameters = []>
// CHECK: gpu.launch_func @kernels::@waits {{.*}} {device.dependent_launch}
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {device.target = "cuda:sm_90a"} {
    llvm.func @waits(!llvm.ptr, i64) attributes {gpu.kernel, device.waits,
      device.kernel = #device.kernel<parameters = [!llvm.ptr, i64], block = [128, 1, 1], sharedBytes = 4096, dynamicShared = true>}
    gpu.func @plain() kernel attributes {device.kernel = #device.kernel<parameters = []>} { gpu.return }
  }
  func.func @main(%one: index, %p: !llvm.ptr, %n: i64) {
    gpu.launch_func @kernels::@waits blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%p : !llvm.ptr, %n : i64) {device.dependent_launch}
    return
  }
}

// RUN: lispier-opt %s -lispier-embed-kernels="targets=cuda:sm_90" | FileCheck %s

// A kernel that waits for the work before it by itself may be launched early, another one not.
// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @kernels::@waits {{.*}}{lispier.early}
// CHECK: gpu.launch_func @kernels::@nothing
// CHECK-NOT: lispier.early
// CHECK: return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @waits() kernel {
      nvvm.griddepcontrol wait
      gpu.return
    }
    gpu.func @nothing() kernel { gpu.return }
  }
  func.func @main() {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@waits blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @kernels::@nothing blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}

// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-mark-waiting-kernels),lispier-mark-dependent-launches)" | FileCheck %s
// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-mark-waiting-kernels),lispier-mark-dependent-launches,lispier-call-device)" | FileCheck %s --check-prefix=CALL

// A kernel that waits for the work before it by itself may be launched early, another one not.
// CHECK: gpu.func @waits() kernel attributes {device.waits}
// CHECK: gpu.func @nothing() kernel {
// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @kernels::@waits {{.*}}{device.dependent_launch}
// CHECK: gpu.launch_func @kernels::@nothing
// CHECK-NOT: device.dependent_launch
// CHECK: return
// A flag of the launch requests it from the runtime.
// CALL-LABEL: func.func @main
// CALL-DAG: %[[EARLY:.*]] = arith.constant 1 : i32
// CALL-DAG: %[[LATE:.*]] = arith.constant 0 : i32
// CALL: call @lispier_rt_device_launch({{.*}}%[[EARLY]], %{{[^,]*}}) :
// CALL: call @lispier_rt_device_launch(
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

// RUN: lispier-opt %s -lispier-embed-kernels="targets=cuda:sm_80,rocm:gfx942" | FileCheck %s

// The text of PTX ends with the NUL that the driver looks for; HSACO is an ELF file.
// CHECK-DAG: llvm.mlir.global internal constant @lispier_kernels_cuda_sm_80("{{.*}}.entry nothing{{.*}}\00") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @lispier_kernels_rocm_gfx942("\7FELF
// CHECK: func.func @main
// CHECK-COUNT-2: call @lispier_rt_device_image
// CHECK: gpu.launch_func
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nothing() kernel { gpu.return }
  }
  func.func @main() {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@nothing blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}

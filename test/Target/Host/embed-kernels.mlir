// RUN: lispier-opt %s -lispier-embed-kernels | FileCheck %s

// The text of PTX ends with the NUL that the driver looks for. The parts of a target are numbered.
// CHECK-DAG: llvm.mlir.global internal constant @lispier_kernels_cuda_sm_80("first\00") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @lispier_kernels_cuda_sm_80_1("second\00") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @lispier_kernels_rocm_gfx942("\7FELF\00") {{.*}}alignment = 64
// A binary that is still being made is declared.
// CHECK-DAG: llvm.mlir.global external constant @later() {{.*}}!llvm.array<0 x i8>
// CHECK-DAG: llvm.mlir.global external constant @later_size() {{.*}}i64
// CHECK-DAG: llvm.mlir.global internal constant @[[NAMES:.*]]("one\0Atwo\00")
// CHECK: func.func @main
// CHECK: addressof @lispier_kernels_cuda_sm_80 :
// CHECK: addressof @[[NAMES]] :
// CHECK: addressof @lispier_kernels_cuda_sm_80_1 :
// CHECK: addressof @lispier_kernels_rocm_gfx942 :
// CHECK: addressof @later :
// CHECK: %[[SIZE:.*]] = llvm.mlir.addressof @later_size :
// CHECK: llvm.load %[[SIZE]] : !llvm.ptr -> i64
// CHECK: call @lispier_rt_device_image
// CHECK-NOT: @lispier_rt_device_image
// CHECK: gpu.launch_func
// What a launch needs to know stays.
// CHECK: gpu.module @a attributes {device.target = "cuda:sm_80"}
// CHECK: llvm.func @one() attributes {gpu.kernel}

// Without `main` nothing would register them, but for functions that others call a new one does.
// RUN: sed s/@main/@other/ %s | lispier-opt -lispier-embed-kernels | FileCheck %s --check-prefix=NEITHER
// NEITHER-NOT: lispier_kernels
// RUN: sed 's/@main(%one: index)/@other(%one: index) attributes {group.entry = {}}/' %s | lispier-opt -lispier-embed-kernels | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: func.func @lispier_register_kernels()
// LIBRARY: addressof @lispier_kernels_cuda_sm_80 :
// LIBRARY: call @lispier_rt_device_image
module attributes {gpu.container_module} {
  func.func @main(%one: index) {
    gpu.launch_func @a::@one blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
  gpu.module @a attributes {device.target = "cuda:sm_80", device.code = #device.code<format = "ptx", bytes = "first">} {
    llvm.func @one() attributes {gpu.kernel}
    llvm.func @two() attributes {gpu.kernel}
  }
  gpu.module @b attributes {device.target = "cuda:sm_80", device.code = #device.code<format = "ptx", bytes = "second">} {
    llvm.func @three() attributes {gpu.kernel}
  }
  gpu.module @c attributes {device.target = "rocm:gfx942", device.code = #device.code<format = "hsaco", bytes = "\7FELF">} {
    llvm.func @three() attributes {gpu.kernel}
  }
  gpu.module @d attributes {device.target = "rocm:gfx942", device.code = #device.code<format = "hsaco", symbol = "later">} {
    llvm.func @four() attributes {gpu.kernel}
  }
}

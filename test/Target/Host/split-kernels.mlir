// Many kernels become several binaries, each with what its kernels need; memory that they write stays in one.
// RUN: lispier-opt %s -lispier-embed-kernels="targets=cuda:sm_80 ops-per-binary=10" | FileCheck %s
// RUN: lispier-opt %s -lispier-embed-kernels="targets=cuda:sm_80 ops-per-binary=1000" | FileCheck %s --check-prefix=ONE

// CHECK-DAG: @lispier_kernels_cuda_sm_80("{{.*}}.entry first({{.*}}.entry second({{.*}}\00")
// CHECK-DAG: @lispier_kernels_cuda_sm_80_1("{{.*}}.entry third({{.*}}\00")
// CHECK-DAG: @lispier_kernels_cuda_sm_80_2("{{.*}}.entry fourth({{.*}}\00")
// CHECK: func.func @main
// CHECK: addressof @lispier_kernels_cuda_sm_80 :
// CHECK: addressof @lispier_kernels_cuda_sm_80_1 :
// CHECK: addressof @lispier_kernels_cuda_sm_80_2 :
// CHECK: call @lispier_rt_device_image
// CHECK-NOT: @lispier_rt_device_image

// ONE: @lispier_kernels_cuda_sm_80("{{.*}}.entry first({{.*}}.entry second({{.*}}.entry third({{.*}}.entry fourth({{.*}}\00")
// ONE-NOT: @lispier_kernels_cuda_sm_80_1
module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global @counter : memref<1xi32> = dense<0>
    memref.global constant @table : memref<2xi32> = dense<[3, 5]>
    func.func @entry(%at: index) -> i32 {
      %table = memref.get_global @table : memref<2xi32>
      %value = memref.load %table[%at] : memref<2xi32>
      return %value : i32
    }
    gpu.func @first(%at: index) kernel {
      %counter = memref.get_global @counter : memref<1xi32>
      %value = func.call @entry(%at) : (index) -> i32
      %c0 = arith.constant 0 : index
      memref.store %value, %counter[%c0] : memref<1xi32>
      gpu.return
    }
    gpu.func @second(%out: memref<1xi32>) kernel {
      %counter = memref.get_global @counter : memref<1xi32>
      %c0 = arith.constant 0 : index
      %value = memref.load %counter[%c0] : memref<1xi32>
      memref.store %value, %out[%c0] : memref<1xi32>
      gpu.return
    }
    gpu.func @third(%at: index, %out: memref<1xi32>) kernel {
      %value = func.call @entry(%at) : (index) -> i32
      %c0 = arith.constant 0 : index
      memref.store %value, %out[%c0] : memref<1xi32>
      gpu.return
    }
    gpu.func @fourth(%at: index, %out: memref<1xi32>) kernel {
      %value = func.call @entry(%at) : (index) -> i32
      memref.store %value, %out[%at] : memref<1xi32>
      gpu.return
    }
  }
  func.func @main() { return }
}

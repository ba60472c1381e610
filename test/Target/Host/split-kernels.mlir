// Many kernels become several modules, each with what its kernels need; memory that they write stays in one.
// RUN: lispier-opt %s -lispier-split-kernels="ops-per-part=10" | FileCheck %s
// RUN: lispier-opt %s -lispier-split-kernels="ops-per-part=10 most-parts=1" | FileCheck %s --check-prefix=ONE
// RUN: lispier-opt %s -lispier-split-kernels="ops-per-part=1000" | FileCheck %s --check-prefix=ONE
// RUN: lispier-opt %s -lispier-split-kernels="ops-per-part=0" | FileCheck %s --check-prefix=ONE
// RUN: lispier-opt %s -lispier-split-kernels="ops-per-part=10" -lispier-split-kernels="ops-per-part=1" | FileCheck %s

// CHECK: gpu.module @kernels attributes {device.target = "cuda:sm_80"}
// CHECK-NEXT: memref.global @counter
// CHECK-NEXT: memref.global constant @table
// CHECK: func.func @entry
// CHECK: gpu.func @first
// CHECK: gpu.func @second
// CHECK: gpu.module @kernels_1 attributes {device.target = "cuda:sm_80"}
// CHECK-NOT: @counter
// CHECK: memref.global constant @table
// CHECK: func.func @entry
// CHECK: gpu.func @third
// CHECK: gpu.module @kernels_2 attributes {device.target = "cuda:sm_80"}
// CHECK: gpu.func @fourth
// CHECK-NOT: gpu.module
// Launches name the part.
// CHECK: gpu.launch_func @kernels::@second
// CHECK: gpu.launch_func @kernels_1::@third

// ONE: gpu.module @kernels attributes {device.target = "cuda:sm_80"}
// ONE: gpu.func @first
// ONE: gpu.func @fourth
// ONE-NOT: gpu.module
// ONE: gpu.launch_func @kernels::@third

// RUN: sed s/device.target/other.target/ %s | not lispier-opt -allow-unregistered-dialect -lispier-split-kernels 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: has no target: the attribute device.target names it
module attributes {gpu.container_module, device.target = "cuda:sm_80"} {
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
  func.func @main(%one: index, %out: memref<1xi32>) {
    gpu.launch_func @kernels::@second blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%out : memref<1xi32>)
    gpu.launch_func @kernels::@third blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%one : index, %out : memref<1xi32>)
    return
  }
}

// RUN: lispier-opt %s -lispier-place-kernel-memory -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[STACK:.*]] = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
// CHECK: memref.memory_space_cast %[[STACK]]
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK-NOT: dealloc
gpu.module @m {
  gpu.func @kernel(%x: f32) kernel {
    %i = gpu.thread_id x
    %s = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
    %p = memref.alloca() : memref<4xf32>
    memref.store %x, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %p[%i] : memref<4xf32>
    memref.dealloc %s : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Before outlining the launch has the attribution. The stack of the host is not ours.
// CHECK-LABEL: func @launch
// CHECK: memref.alloca() : memref<4xf32>
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>)
func.func @launch(%x: f32) {
  %c1 = arith.constant 1 : index
  %host = memref.alloca() : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %s = memref.alloca() : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %s[%tx] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  memref.store %x, %host[%c1] : memref<4xf32>
  return
}

// -----

gpu.module @m {
  gpu.func @dynamic(%n: index) kernel {
    // expected-error @below {{has a dynamic size; shared memory is sized before the kernel starts}}
    %s = memref.alloc(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

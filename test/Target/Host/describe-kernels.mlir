// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-describe-kernels))" -split-input-file -verify-diagnostics | FileCheck %s

// Memory is a pointer, an index an i64; shared memory is aligned to 16 bytes.
// CHECK: gpu.func @all
// CHECK-SAME: device.kernel = #device.kernel<parameters = [!llvm.ptr, i64, f32, vector<4xf32>], block = [32, 2, 1], sharedBytes = 20, dynamicShared = true>
// CHECK: llvm.func @lowered
// CHECK-SAME: device.kernel = #device.kernel<parameters = [!llvm.ptr, i32], block = [64, 1, 1]>
// CHECK: gpu.func @function(%{{[^)]*}}) {
gpu.module @kernels attributes {device.target = "cuda:sm_80"} {
  gpu.func @all(%m: memref<f32>, %i: index, %x: f32, %v: vector<4xf32>)
    workgroup(%a: memref<3xi8, #gpu.address_space<workgroup>>, %b: memref<1xf32, #gpu.address_space<workgroup>>)
    kernel attributes {known_block_size = array<i32: 32, 2, 1>} {
    %more = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
  llvm.func @lowered(%p: !llvm.ptr, %n: i32) attributes {gpu.kernel, gpu.known_block_size = array<i32: 64, 1, 1>} { llvm.return }
  gpu.func @function(%i: index) { gpu.return }
}

// -----

// A kernel that loads pointers from memory, alone or in structs.
// CHECK: gpu.func @loads(%{{.*}}device.reads_pointers
// CHECK: gpu.func @members(%{{.*}}device.reads_pointers
// CHECK: gpu.func @numbers(
// CHECK-NOT: device.reads_pointers
gpu.module @kernels attributes {device.target = "rocm:gfx942"} {
  gpu.func @loads(%p: !llvm.ptr) kernel {
    %next = llvm.load %p : !llvm.ptr -> !llvm.ptr
    gpu.return
  }
  gpu.func @members(%p: !llvm.ptr) kernel {
    %next = llvm.load %p : !llvm.ptr -> !llvm.struct<(i32, array<2 x ptr>)>
    gpu.return
  }
  gpu.func @numbers(%p: !llvm.ptr) kernel {
    %next = llvm.load %p : !llvm.ptr -> i64
    gpu.return
  }
}

// -----

// The simulator's machine has limits, too.
gpu.module @kernels attributes {device.target = "sim"} {
  // expected-error @below {{kernel threads has 2048 threads in a block; sim allows 1024}}
  gpu.func @threads() kernel attributes {known_block_size = array<i32: 1024, 2, 1>} { gpu.return }
}

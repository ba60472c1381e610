// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-group-ops{warp-width=64 keep-reductions=true},lispier-reduce-by-dpp{chip=gfx942 warp-width=64}))' | FileCheck %s
// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx942 output=%t.942' -o /dev/null
// RUN: llvm-objdump -d %t.942 | FileCheck %s --check-prefix=CODE
// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx1100 output=%t.1100' -o /dev/null
// RUN: llvm-objdump -d %t.1100 | FileCheck %s --check-prefix=CODE

// A reduction over a full warp reads the operands of other lanes; no trip through the unit of shared memory.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @warp
  // CHECK-NOT: gpu.shuffle
  // CHECK: amdgpu.dpp {{.*}} quad_perm
  // CHECK: amdgpu.dpp {{.*}} row_bcast_31
  // CHECK: rocdl.readlane
  // CODE-LABEL: <warp>:
  // CODE-NOT: ds_
  // CODE: v_add_f32_dpp
  // CODE: v_readlane_b32
  // CODE-NOT: ds_
  // CODE: s_endpgm
  gpu.func @warp(%x: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %x[%i] : memref<256xf32>
    %s = gpu.subgroup_reduce add %a : (f32) -> f32
    memref.store %s, %x[%i] : memref<256xf32>
    gpu.return
  }

  // A block's warps do, each for itself.
  // CHECK-LABEL: gpu.func @block
  // CHECK: amdgpu.dpp {{.*}} row_bcast_31
  // CHECK: gpu.barrier
  gpu.func @block(%x: memref<256xi32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %x[%i] : memref<256xi32>
    %s = gpu.all_reduce maxsi %a uniform {} : (i32) -> i32
    memref.store %s, %x[%i] : memref<256xi32>
    gpu.return
  }

  // Numbers of 64 bits, and warps of which lanes are missing, are shuffled.
  // CHECK-LABEL: gpu.func @wide
  // CHECK-NOT: amdgpu.dpp
  // CHECK: gpu.shuffle
  gpu.func @wide(%x: memref<256xi64>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %x[%i] : memref<256xi64>
    %s = gpu.subgroup_reduce add %a : (i64) -> i64
    memref.store %s, %x[%i] : memref<256xi64>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @missing
  // CHECK-NOT: amdgpu.dpp
  // CHECK: gpu.shuffle
  gpu.func @missing(%x: memref<100xf32>) kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %x[%i] : memref<100xf32>
    %s = gpu.subgroup_reduce add %a : (f32) -> f32
    memref.store %s, %x[%i] : memref<100xf32>
    gpu.return
  }
}

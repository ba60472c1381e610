// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-group-ops{warp-width=64 keep-reductions=true},lispier-reduce-by-dpp{chip=gfx942 warp-width=64}))' | FileCheck %s
// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx942 output=%t.942' -o /dev/null
// RUN: llvm-objdump -d %t.942 | FileCheck %s --check-prefixes=CODE,CDNA
// RUN: sed 's/constant 64 : i32/constant 32 : i32/' %s | lispier-opt - -lispier-emit-gpu='target=rocm:gfx1100 output=%t.1100' -o /dev/null
// RUN: llvm-objdump -d %t.1100 | FileCheck %s --check-prefixes=CODE,RDNA

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

  // Halves of numbers of 64 bits are read in the same way from lanes of the row, and shuffled between rows; warps of
  // which lanes are missing are shuffled.
  // CHECK-LABEL: gpu.func @wide
  // CHECK-COUNT-2: amdgpu.dpp {{.*}} row_ror
  // CHECK-COUNT-2: gpu.shuffle
  gpu.func @wide(%x: memref<256xi64>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %x[%i] : memref<256xi64>
    %s = gpu.subgroup_reduce add %a : (i64) -> i64
    memref.store %s, %x[%i] : memref<256xi64>
    gpu.return
  }
  // Shuffles between lanes that differ in one bit, of a row of 16.
  // CHECK-LABEL: gpu.func @bits
  // CHECK: amdgpu.dpp {{.*}} quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32])
  // CHECK: amdgpu.dpp {{.*}} quad_perm([2 : i32, 3 : i32, 0 : i32, 1 : i32])
  // CHECK: %[[MIRROR:.*]] = amdgpu.dpp {{.*}} row_half_mirror
  // CHECK: amdgpu.dpp %[[MIRROR]] %[[MIRROR]] quad_perm([3 : i32, 2 : i32, 1 : i32, 0 : i32])
  // CHECK: amdgpu.dpp {{.*}} row_ror(8 : i32)
  // CHECK: gpu.shuffle
  // CDNA-LABEL: <bits>:
  // CDNA: v_{{.*}}dpp {{.*}}quad_perm:[1,0,3,2]
  // CDNA: row_half_mirror
  // CDNA: row_ror:8
  // CDNA: ds_
  // CDNA: s_endpgm
  // RDNA-LABEL: <bits>:
  // RDNA-NOT: ds_
  // RDNA: v_{{.*}}dpp {{.*}}quad_perm:[1,0,3,2]
  // RDNA-NOT: ds_
  // RDNA: v_permlanex16
  // RDNA-NOT: ds_
  // RDNA: s_endpgm
  gpu.func @bits(%x: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %width = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %a0 = memref.load %x[%i] : memref<256xf32>
    %b0, %v0 = gpu.shuffle xor %a0, %c1, %width : f32
    %a1 = arith.addf %a0, %b0 : f32
    %b1, %v1 = gpu.shuffle xor %a1, %c2, %width : f32
    %a2 = arith.addf %a1, %b1 : f32
    %b2, %v2 = gpu.shuffle xor %a2, %c4, %width : f32
    %a3 = arith.addf %a2, %b2 : f32
    %b3, %v3 = gpu.shuffle xor %a3, %c8, %width : f32
    %a4 = arith.addf %a3, %b3 : f32
    %b4, %v4 = gpu.shuffle xor %a4, %c16, %width : f32
    %a5 = arith.addf %a4, %b4 : f32
    memref.store %a5, %x[%i] : memref<256xf32>
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

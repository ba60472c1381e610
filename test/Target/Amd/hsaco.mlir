// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx942 output=%t.942' -o /dev/null
// RUN: llvm-objdump -d %t.942 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: llvm-objdump -D -j .rodata %t.942 | FileCheck %s --check-prefix=DESCRIPTOR
// RUN: llvm-readobj --notes %t.942 | FileCheck %s --check-prefixes=NOTES,NOTES64
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx90a output=%t.90a' -o /dev/null
// RUN: llvm-objdump -d %t.90a | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx1100 output=%t.1100' -o /dev/null
// RUN: llvm-objdump -d %t.1100 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx1151 output=%t.1151' -o /dev/null
// RUN: llvm-objdump -d %t.1151 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: llvm-readobj --notes %t.1151 | FileCheck %s --check-prefixes=NOTES,NOTES32

// Every chip has code of its own.
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx950 output=%t.gfx950' -o /dev/null
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx1103 output=%t.gfx1103' -o /dev/null
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx1200 output=%t.gfx1200' -o /dev/null
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=rocm:gfx1201 output=%t.gfx1201' -o /dev/null
// RUN: llvm-readobj --file-headers %t.gfx950 | FileCheck %s --check-prefix=GFX950
// RUN: llvm-readobj --file-headers %t.gfx1103 | FileCheck %s --check-prefix=GFX1103
// RUN: llvm-readobj --file-headers %t.gfx1200 | FileCheck %s --check-prefix=GFX1200
// RUN: llvm-readobj --file-headers %t.gfx1201 | FileCheck %s --check-prefix=GFX1201
// RUN: llvm-objdump -d %t.gfx1103 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: llvm-objdump -d %t.gfx1200 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: llvm-objdump -d %t.gfx1201 | FileCheck %s --check-prefixes=CHECK,NARROW
// GFX950: EF_AMDGPU_MACH_AMDGCN_GFX950
// GFX1103: EF_AMDGPU_MACH_AMDGCN_GFX1103
// GFX1200: EF_AMDGPU_MACH_AMDGCN_GFX1200
// GFX1201: EF_AMDGPU_MACH_AMDGCN_GFX1201

gpu.module @kernels {
  // 16 bytes an access and fused multiply-add.
  // CHECK-LABEL: <vectors>:
  // CHECK: global_load_{{dwordx4|b128}}
  // CHECK: v_{{(pk_)?}}fma
  // CHECK: global_store_{{dwordx4|b128}}
  // CHECK: s_endpgm
  gpu.func @vectors(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %c4 = arith.constant 4 : index
    %j = arith.muli %i, %c4 : index
    %x = vector.load %a[%j] : memref<?xf32>, vector<4xf32>
    %y = arith.mulf %x, %x : vector<4xf32>
    %z = arith.addf %y, %x : vector<4xf32>
    vector.store %z, %b[%j] : memref<?xf32>, vector<4xf32>
    gpu.return
  }

  // Six steps over 64 lanes, five over 32, by operands of other lanes: shared memory's unit has no part in it. Then one
  // store a warp, a barrier, and the parts: 4 of 64 lanes in two steps, 8 of 32 lanes in three.
  // CHECK-LABEL: <block_sum>:
  // CHECK-NOT: ds_
  // CHECK-COUNT-4: _dpp
  // WIDE-COUNT-2: _dpp
  // NARROW: v_permlanex16_b32
  // CHECK: v_readlane_b32
  // CHECK: ds_{{write|store}}_b32
  // CHECK: s_barrier
  // CHECK: ds_{{read|load}}_b32
  // CHECK-NOT: ds_
  // WIDE-COUNT-2: _dpp
  // NARROW-COUNT-3: _dpp
  // CHECK-NOT: ds_
  // CHECK: s_endpgm
  gpu.func @block_sum(%a: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<256xf32>
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    memref.store %s, %a[%i] : memref<256xf32>
    gpu.return
  }

  // The stack is in scratch memory; exp is no library call, or linking would fail.
  // CHECK-LABEL: <stack>:
  // CHECK: {{scratch|buffer}}_store
  gpu.func @stack(%a: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xf32>
    %e = math.exp %x : f32
    %p = memref.alloca() : memref<64xf32>
    memref.store %e, %p[%i] : memref<64xf32>
    gpu.barrier
    %c0 = arith.constant 0 : index
    memref.store %x, %p[%c0] : memref<64xf32>
    %z = memref.load %p[%i] : memref<64xf32>
    memref.store %z, %a[%i] : memref<?xf32>
    gpu.return
  }

  // Nor is any function of f64.
  // CHECK-LABEL: <doubles>:
  // CHECK: v_fma{{c?}}_f64
  // CHECK: s_endpgm
  gpu.func @doubles(%a: memref<?xf64>) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %a[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = math.exp2 %1 : f64
    %3 = math.expm1 %2 : f64
    %4 = math.log %3 : f64
    %5 = math.log2 %4 : f64
    %6 = math.log10 %5 : f64
    %7 = math.log1p %6 : f64
    %8 = math.tanh %7 : f64
    %9 = math.sinh %8 : f64
    %10 = math.cosh %9 : f64
    %11 = math.erf %10 : f64
    %12 = math.erfc %11 : f64
    %13 = math.sin %12 : f64
    %14 = math.cos %13 : f64
    %15 = math.tan %14 : f64
    %16 = math.asin %15 : f64
    %17 = math.acos %16 : f64
    %18 = math.atan %17 : f64
    %19 = math.asinh %18 : f64
    %20 = math.acosh %19 : f64
    %21 = math.atanh %20 : f64
    %22 = math.cbrt %21 : f64
    %23 = math.rsqrt %22 : f64
    %24 = math.atan2 %23, %0 : f64
    %25 = math.powf %24, %0 : f64
    memref.store %25, %a[%i] : memref<?xf64>
    gpu.return
  }
}

// DESCRIPTOR: .amdhsa_kernel block_sum
// DESCRIPTOR: .amdhsa_group_segment_fixed_size 16

// A kernel of unknown block size accepts the largest; the driver passes the sizes that it reads.
// NOTES: hidden_group_size_x
// NOTES: .max_flat_workgroup_size: 1024
// NOTES: .name: vectors
// NOTES64: .wavefront_size: 64
// NOTES32: .wavefront_size: 32
// NOTES: .group_segment_fixed_size: {{16|32}}
// NOTES: .max_flat_workgroup_size: 256
// NOTES: .name: block_sum

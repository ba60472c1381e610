// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx942 output=%t' -o /dev/null
// RUN: llvm-objdump -d %t | FileCheck %s

// CHECK-LABEL: <matrix_core>:
// CHECK: v_mfma_f32_32x32x8_bf16
// CHECK: s_barrier
gpu.module @kernels {
  gpu.func @matrix_core(%a: memref<64x4xbf16>, %b: memref<64x4xbf16>, %c: memref<64x16xf32>) kernel {
    %z = arith.constant 0 : index
    %i = gpu.thread_id x
    %va = vector.load %a[%i, %z] : memref<64x4xbf16>, vector<4xbf16>
    %vb = vector.load %b[%i, %z] : memref<64x4xbf16>, vector<4xbf16>
    %vc = vector.load %c[%i, %z] : memref<64x16xf32>, vector<16xf32>
    %d = amdgpu.mfma 32x32x8 %va * %vb + %vc {abid = 0 : i32, cbsz = 0 : i32} blgp = none : vector<4xbf16>, vector<4xbf16>, vector<16xf32>
    vector.store %d, %c[%i, %z] : memref<64x16xf32>, vector<16xf32>
    rocdl.s.barrier
    gpu.return
  }
}

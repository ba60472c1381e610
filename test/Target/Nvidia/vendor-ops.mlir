// RUN: lispier-opt %s -lispier-emit-gpu='target=cuda:sm_90a format=ptx output=%t' -o /dev/null
// RUN: FileCheck %s --input-file=%t

// Ops of the vendor's dialects, written by users, pass through: nvgpu by its conversion, nvvm as it stands.
gpu.module @kernels {
  // CHECK-LABEL: .entry tensor_core(
  // CHECK: cp.async.cg.shared.global
  // CHECK: cp.async.wait_group
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  gpu.func @tensor_core(%a: memref<128x128xf16>, %g: memref<128x128xf32>) workgroup(%s: memref<128x128xf16, 3>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %t = nvgpu.device_async_copy %a[%i, %c0], %s[%i, %c0], 8 {bypassL1} : memref<128x128xf16> to memref<128x128xf16, 3>
    %u = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %u {numGroups = 0 : i32}
    gpu.barrier
    %x = nvgpu.ldmatrix %s[%c0, %i] {numTiles = 4 : i32, transpose = false} : memref<128x128xf16, 3> -> vector<4x2xf16>
    %y = nvgpu.ldmatrix %s[%c0, %i] {numTiles = 2 : i32, transpose = true} : memref<128x128xf16, 3> -> vector<2x2xf16>
    %z = arith.constant dense<0.0> : vector<2x2xf32>
    %d = nvgpu.mma.sync (%x, %y, %z) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %e = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %e, %g[%i, %c0] : memref<128x128xf32>, vector<2xf32>
    gpu.return
  }

  // A kernel that multiplies on tensor cores asks for one block at once, so that ptxas spends registers on loads ahead.
  // CHECK-LABEL: .entry multiply(
  // CHECK: .maxntid 32
  // CHECK: .minnctapersm 1
  gpu.func @multiply(%a: memref<32xi32>, %out: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<32xi32>
    %z = arith.constant 0.0 : f32
    %d = nvvm.mma.sync A[%x, %x, %x, %x] B[%x, %x] C[%z, %z, %z, %z] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %e = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %e, %out[%i] : memref<32xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry clusters(
  // CHECK: %clusterid.x
  // CHECK: barrier.cluster.arrive
  // CHECK: barrier.cluster.wait
  gpu.func @clusters(%a: memref<32xindex>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.cluster_id x
    nvvm.cluster.arrive
    nvvm.cluster.wait
    memref.store %i, %a[%i] : memref<32xindex>
    gpu.return
  }
}

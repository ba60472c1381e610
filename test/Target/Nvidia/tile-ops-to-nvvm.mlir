// RUN: lispier-opt %s -lispier-tile-ops-to-nvvm | FileCheck %s
// RUN: lispier --from=loops --target=cuda:sm_80 --emit=ptx %s | FileCheck %s --check-prefix=PTX

// PTX-DAG: cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r
// PTX-DAG: cp.async.ca.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 4;
// PTX-DAG: cp.async.commit_group
// PTX-DAG: cp.async.wait_group 1
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-DAG: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @all
    gpu.func @all(%m: memref<64x64xbf16>, %c: memref<32x4xf32>, %d: memref<32x4xi32>, %read: index) workgroup(%s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %f: memref<64x4xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      // CHECK: nvgpu.device_async_copy %{{.*}}, 8, %{{.*}} {bypassL1}
      tile.copy_async %m[%i, %c0], %s[%i, %c0], 8, %read : memref<64x64xbf16> to memref<64x64xbf16, #gpu.address_space<workgroup>>
      // CHECK: nvgpu.device_async_copy %{{.*}}, 2 : memref
      tile.copy_async %m[%c0, %i], %s[%i, %c0], 2 : memref<64x64xbf16> to memref<64x64xbf16, #gpu.address_space<workgroup>>
      // CHECK: %[[ONE:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [1], strides: [1]
      // CHECK: nvgpu.device_async_copy %[[ONE]][%{{.*}}], %{{.*}}, 1 : memref<1xf32, strided<[1], offset: ?>>
      %column = memref.transpose %c (r, c) -> (c, r) : memref<32x4xf32> to memref<4x32xf32, strided<[1, 4]>>
      tile.copy_async %column[%c0, %i], %f[%i, %c0], 1 : memref<4x32xf32, strided<[1, 4]>> to memref<64x4xf32, #gpu.address_space<workgroup>>
      // CHECK: nvvm.cp.async.commit.group
      // CHECK: nvvm.cp.async.wait.group 1
      tile.commit_copies
      tile.wait_copies 1
      gpu.barrier
      // CHECK: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = true}
      %l = tile.load_matrix %s[%i, %c0] transposed : memref<64x64xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
      %a = vector.shape_cast %l : vector<4x2xbf16> to vector<8xbf16>
      %b = vector.extract_strided_slice %a {offsets = [0], sizes = [4], strides = [1]} : vector<8xbf16> to vector<4xbf16>
      %z = arith.constant dense<0.0> : vector<4xf32>
      // CHECK: nvvm.mma.sync A[{{.*}}, {{.*}}, {{.*}}, {{.*}}] B[{{.*}}, {{.*}}] C[{{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>{{.*}} : (i32, i32, f32)
      %1 = tile.mma %a, %b, %z {m = 16, n = 8, k = 16} : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
      %ah = arith.bitcast %a : vector<8xbf16> to vector<8xf16>
      %bh = arith.bitcast %b : vector<4xbf16> to vector<4xf16>
      // CHECK: nvvm.mma.sync {{.*}} : (vector<2xf16>, vector<2xf16>, f32)
      %2 = tile.mma %ah, %bh, %1 {m = 16, n = 8, k = 16} : vector<8xf16>, vector<4xf16>, vector<4xf32>
      %at = vector.bitcast %a : vector<8xbf16> to vector<4xf32>
      %bt = vector.bitcast %b : vector<4xbf16> to vector<2xf32>
      // CHECK: nvvm.mma.sync {{.*}}#nvvm.mma_type<tf32>{{.*}} : (i32, i32, f32)
      %3 = tile.mma %at, %bt, %2 {m = 16, n = 8, k = 8, tf32} : vector<4xf32>, vector<2xf32>, vector<4xf32>
      vector.store %3, %c[%i, %c0] : memref<32x4xf32>, vector<4xf32>
      %ab = vector.bitcast %a : vector<8xbf16> to vector<16xi8>
      %bb = vector.bitcast %b : vector<4xbf16> to vector<8xi8>
      %zi = arith.constant dense<0> : vector<4xi32>
      // CHECK: nvvm.mma.sync {{.*}}#nvvm.mma_type<s8>{{.*}} : (i32, i32, i32)
      %4 = tile.mma %ab, %bb, %zi {m = 16, n = 8, k = 32} : vector<16xi8>, vector<8xi8>, vector<4xi32>
      vector.store %4, %d[%i, %c0] : memref<32x4xi32>, vector<4xi32>
      gpu.return
    }
  }
}

// RUN: lispier-opt %s -lispier-tile-ops-to-amdgpu | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @copies
  gpu.func @copies(%m: memref<64x64xbf16>, %read: index) workgroup(%s: memref<64x64xbf16, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    // CHECK: %[[ALL:.*]] = arith.cmpi eq, %{{.*}}, %c8
    // CHECK: %[[V:.*]] = scf.if %[[ALL]] -> (vector<8xbf16>) {
    // CHECK: vector.load %{{.*}} : memref<64x64xbf16>, vector<8xbf16>
    // CHECK: } else {
    // CHECK: scf.for
    // CHECK: memref.load
    // CHECK: vector.store %[[V]], %{{.*}} : memref<64x64xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
    tile.copy_async %m[%i, %c0], %s[%i, %c0], 8, %read : memref<64x64xbf16> to memref<64x64xbf16, #gpu.address_space<workgroup>>
    // CHECK: %[[W:.*]] = vector.load %{{.*}} : memref<64x64xbf16>, vector<8xbf16>
    // CHECK-NEXT: vector.store %[[W]]
    tile.copy_async %m[%i, %c0], %s[%i, %c0], 8 : memref<64x64xbf16> to memref<64x64xbf16, #gpu.address_space<workgroup>>
    // CHECK-NOT: tile.
    tile.commit_copies
    tile.wait_copies 0
    gpu.barrier
    gpu.return
  }
  // CHECK-LABEL: gpu.func @products
  gpu.func @products(%a: vector<4xbf16>, %c: vector<4xf32>, %w: vector<16xf16>, %d: vector<8xf32>, %s: vector<1xf32>) kernel {
    // CHECK: amdgpu.mfma 16x16x16 %{{.*}} : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    %1 = tile.mma %a, %a, %c {m = 16, n = 16, k = 16} : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    // CHECK: amdgpu.mfma 16x16x4 %{{.*}} : f32, f32, vector<4xf32>
    %2 = tile.mma %s, %s, %1 {m = 16, n = 16, k = 4} : vector<1xf32>, vector<1xf32>, vector<4xf32>
    // CHECK: amdgpu.wmma 16x16x16 %{{.*}} : vector<16xf16>, vector<16xf16>, vector<8xf32>
    %3 = tile.mma %w, %w, %d {m = 16, n = 16, k = 16} : vector<16xf16>, vector<16xf16>, vector<8xf32>
    gpu.return
  }
}

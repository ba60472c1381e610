// Factors that ldmatrix reads before loops are the same registers in all of them: taken apart in one block and put
// together in another, ptxas 13.0 gives them to other factors in the second loop.
// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-tile-ops-to-nvvm))" | FileCheck %s

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module, device.target = "cuda:sm_90a"} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @rows
    // CHECK: %[[M:.*]] = nvgpu.ldmatrix
    // CHECK: vector.extract %[[M]][0] : vector<2xbf16>
    // CHECK: vector.extract %[[M]][3] : vector<2xbf16>
    // CHECK: wgmma.mma_async
    gpu.func @rows(%a: memref<512xbf16, #shared>, %b: memref<512xbf16, #shared>, %i: index, %c: vector<4xf32>) {
      %m = tile.load_matrix %a[%i] : memref<512xbf16, #shared> -> vector<4x2xbf16>
      %e:8 = vector.to_elements %m : vector<4x2xbf16>
      %f = vector.from_elements %e#0, %e#1, %e#2, %e#3, %e#4, %e#5, %e#6, %e#7 : vector<8xbf16>
      %d = tile.warpgroup_mma %c, %f, %b[%i] {n = 8, apart = 16} : vector<4xf32>, vector<8xbf16>, memref<512xbf16, #shared>
      gpu.return
    }
    // A fragment of other pairs is packed.
    // CHECK-LABEL: gpu.func @exchanged
    // CHECK-NOT: vector.extract
    // CHECK: vector.bitcast %{{.*}} : vector<8xbf16> to vector<4xi32>
    // CHECK: wgmma.mma_async
    gpu.func @exchanged(%a: memref<512xbf16, #shared>, %b: memref<512xbf16, #shared>, %i: index, %c: vector<4xf32>) {
      %m = tile.load_matrix %a[%i] : memref<512xbf16, #shared> -> vector<4x2xbf16>
      %e:8 = vector.to_elements %m : vector<4x2xbf16>
      %f = vector.from_elements %e#1, %e#0, %e#2, %e#3, %e#4, %e#5, %e#6, %e#7 : vector<8xbf16>
      %d = tile.warpgroup_mma %c, %f, %b[%i] {n = 8, apart = 16} : vector<4xf32>, vector<8xbf16>, memref<512xbf16, #shared>
      gpu.return
    }
  }
}

// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-shared-vectors))" | FileCheck %s

// Memory of the block is space 3 of both vendors; memory of no named space stays for upstream's conversion.
// CHECK-LABEL: gpu.func @copy
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: vector.store {{.*}} : memref<32xf32>, vector<4xf32>
gpu.module @kernels {
  gpu.func @copy(%out: memref<32xf32>) workgroup(%tile: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %x = vector.load %tile[%c0] : memref<32xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    vector.store %x, %out[%c0] : memref<32xf32>, vector<4xf32>
    gpu.return
  }
}

// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-align-vectors))' | FileCheck %s
// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-align-vectors{vector-bytes=8}))' | FileCheck %s --check-prefix=NARROW

// CHECK-LABEL: gpu.func @k
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<64xf32>, vector<8xf32>
// CHECK: vector.load {{.*}} {alignment = 4 : i64} : memref<64xf32>, vector<2xf32>
// CHECK: vector.store %{{.*}}[%c0] : memref<64xf32>, vector<3xf32>
// NARROW: vector.load {{.*}} {alignment = 8 : i64} : memref<64xf32>, vector<4xf32>
gpu.module @m {
  gpu.func @k(%a: memref<64xf32>, %eight: vector<8xf32>, %three: vector<3xf32>) kernel {
    %c0 = arith.constant 0 : index
    %four = vector.load %a[%c0] : memref<64xf32>, vector<4xf32>
    vector.store %eight, %a[%c0] : memref<64xf32>, vector<8xf32>
    %two = vector.load %a[%c0] {alignment = 4} : memref<64xf32>, vector<2xf32>
    vector.store %three, %a[%c0] : memref<64xf32>, vector<3xf32>
    gpu.return
  }
}

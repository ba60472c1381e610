// RUN: lispier-opt %s | lispier-opt | FileCheck %s

// CHECK: comm.mesh = "dp,tp=2"
module attributes {comm.mesh = "dp,tp=2"} {
  // CHECK-LABEL: func @tensors
  func.func @tensors(%x: tensor<?x4xf32>, %out: tensor<?x4xf32>, %r: index) -> (tensor<?x4xf32>, index, index) {
    // CHECK: comm.all_reduce add %{{.*}} into %{{.*}} over ["tp"] : tensor<?x4xf32> into tensor<?x4xf32>
    %0 = comm.all_reduce add %x into %out over ["tp"] : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.all_reduce mean %{{.*}} over ["dp", "tp"]
    %1 = comm.all_reduce mean %0 into %out over ["dp", "tp"] : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.all_gather %{{.*}} over ["tp"] dimension 0
    %2 = comm.all_gather %1 into %out over ["tp"] dimension 0 : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.reduce_scatter max %{{.*}} over ["tp"] dimension 0
    %3 = comm.reduce_scatter max %2 into %out over ["tp"] dimension 0 : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.own_part %{{.*}} over ["dp"] dimension 0
    %4 = comm.own_part %3 into %out over ["dp"] dimension 0 : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.from_rank %{{.*}} at %{{.*}} into %{{.*}} over ["dp"]
    %5 = comm.from_rank %4 at %r into %out over ["dp"] : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: comm.rank over ["tp"]
    %rank = comm.rank over ["tp"]
    // CHECK: comm.size over []
    %size = comm.size over []
    return %5, %rank, %size : tensor<?x4xf32>, index, index
  }

  // CHECK-LABEL: func @memory
  func.func @memory(%m: memref<4xi64>) {
    // CHECK: comm.all_reduce min %{{.*}} : memref<4xi64> into memref<4xi64>
    comm.all_reduce min %m into %m over ["dp"] : memref<4xi64> into memref<4xi64>
    return
  }

  // CHECK-LABEL: func @together
  func.func @together(%m: memref<4xi64>, %n: memref<2xi64>) {
    // CHECK: comm.together {
    // CHECK-NEXT: comm.all_reduce min
    // CHECK-NEXT: comm.all_reduce min
    // CHECK-NEXT: }
    comm.together {
      comm.all_reduce min %m into %m over ["dp"] : memref<4xi64> into memref<4xi64>
      comm.all_reduce min %n into %n over ["dp"] : memref<2xi64> into memref<2xi64>
    }
    return
  }

  // Two collectives are two messages, and one whose value nobody needs is still what other ranks wait for.
  // CHECK-LABEL: func @kept
  func.func @kept(%x: tensor<4xf32>, %out: tensor<4xf32>) {
    // CHECK-COUNT-2: comm.all_reduce
    %0 = comm.all_reduce add %x into %out over ["tp"] : tensor<4xf32> into tensor<4xf32>
    %1 = comm.all_reduce add %x into %out over ["tp"] : tensor<4xf32> into tensor<4xf32>
    return
  }

  // CHECK-LABEL: func @parts
  func.func @parts(%x: tensor<4x4xf32>) -> tensor<?x4xf32> {
    %0 = tensor.cast %x : tensor<4x4xf32> to tensor<?x4xf32>
    // CHECK: comm.assume %{{.*}} over ["tp"] dimension 0 joins : tensor<?x4xf32>
    %1 = comm.assume %0 over ["tp"] dimension 0 joins : tensor<?x4xf32>
    // CHECK: comm.assume %{{.*}} over ["tp"] dimension 0 partial : tensor<?x4xf32>
    %2 = comm.assume %1 over ["tp"] dimension 0 partial : tensor<?x4xf32>
    return %2 : tensor<?x4xf32>
  }
}
// RUN: lispier-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: func @kept
// KEPT-COUNT-2: comm.all_reduce
// KEPT-LABEL: func @parts
// KEPT-NEXT: comm.assume %{{.*}} over ["tp"] dimension 0 joins : tensor<4x4xf32>

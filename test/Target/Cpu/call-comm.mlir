// RUN: lispier-opt %s -split-input-file --lispier-call-comm -verify-diagnostics | FileCheck %s

// The axes are a mask; counts are products of sizes. `main` begins with the mesh, and the program's first collective.
// CHECK-DAG: "dp,tp=2\00"
// CHECK-DAG: "`all-reduce` at {{.*}}call-comm.mlir:[[#@LINE+16]]:5\00"
// CHECK-LABEL: func @main
// CHECK: call @lispier_rt_comm_mesh(
// CHECK: %[[TP:.*]] = arith.constant 2 : i64
// CHECK: call @lispier_rt_comm_rank(%[[TP]]) : (i64) -> i64
// CHECK: %[[DP:.*]] = arith.constant 1 : i64
// CHECK: %[[F32:.*]] = arith.constant 1 : i32
// CHECK: %[[MAX:.*]] = arith.constant 2 : i32
// CHECK: call @lispier_rt_comm_all_reduce(%{{.*}}, %{{.*}}, %{{.*}}, %[[F32]], %[[MAX]], %[[DP]], %{{.*}})
// CHECK: call @lispier_rt_comm_all_gather(
// CHECK-NOT: {{^ *}}comm.
module attributes {comm.mesh = "dp,tp=2"} {
  func.func @main() {
    %rank = comm.rank over ["tp"]
    %m = memref.alloc(%rank) : memref<?x4xf32>
    %n = memref.alloc(%rank) : memref<?x8xf32>
    comm.all_reduce max %m into %m over ["dp"] : memref<?x4xf32> into memref<?x4xf32>
    comm.all_gather %m into %n over ["tp"] dimension 1 : memref<?x4xf32> into memref<?x8xf32>
    return
  }
}

// -----

// Collectives that may be done at once stand between two calls.
// CHECK-LABEL: func @together
// CHECK: call @lispier_rt_comm_together_begin()
// CHECK: call @lispier_rt_comm_all_reduce(
// CHECK: call @lispier_rt_comm_all_reduce(
// CHECK: call @lispier_rt_comm_together_end(
// CHECK-NOT: {{^ *}}comm.
// CHECK: return
module attributes {comm.mesh = "dp"} {
  func.func @together(%m: memref<4xf32>, %n: memref<?xf32>) {
    comm.together {
      comm.all_reduce add %m into %m over ["dp"] : memref<4xf32> into memref<4xf32>
      comm.all_reduce add %n into %n over ["dp"] : memref<?xf32> into memref<?xf32>
    }
    return
  }
}

// -----

module attributes {comm.mesh = "dp"} {
  func.func @axis(%m: memref<4xf32>) {
    // expected-error@+1 {{goes over tp, which is no axis of the mesh}}
    comm.all_reduce max %m into %m over ["tp"] : memref<4xf32> into memref<4xf32>
    return
  }
}

// -----

func.func @mesh() -> index {
  // expected-error@+1 {{the module has no mesh}}
  %rank = comm.rank over ["tp"]
  return %rank : index
}

// -----

module attributes {comm.mesh = "dp"} {
  func.func @strided(%m: memref<4xf32, strided<[2]>>) {
    // expected-error@+1 {{is lowered on contiguous memrefs, not 'memref<4xf32, strided<[2]>>'}}
    comm.all_reduce max %m into %m over ["dp"] : memref<4xf32, strided<[2]>> into memref<4xf32, strided<[2]>>
    return
  }
}

// RUN: lispier-opt %s -lispier-call-kernel-times | FileCheck %s

// CHECK: llvm.mlir.global internal constant @[[NAME:.*]]("main_0\00")
// CHECK-LABEL: func @timed
// CHECK-SAME: (%[[BYTES:.*]]: index, %[[LEAST:.*]]: f64)
func.func @timed(%bytes: index, %least: f64) {
  // CHECK: %[[WIDE:.*]] = arith.index_cast %[[BYTES]] : index to i64
  // CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[NAME]]
  // CHECK: call @lispier_rt_kernel_begin(%[[TEXT]], %[[WIDE]], %[[LEAST]])
  group.begin "main_0" bytes %bytes least %least
  // CHECK-NEXT: call @lispier_rt_kernel_end()
  group.end
  // What is unknown.
  // CHECK-DAG: %[[NONE:.*]] = arith.constant -1 : i64
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f64
  // CHECK: call @lispier_rt_kernel_begin(%{{.*}}, %[[NONE]], %[[ZERO]])
  group.begin "main_1"
  // CHECK-NEXT: call @lispier_rt_kernel_end()
  group.end
  return
}

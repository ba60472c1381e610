// RUN: lispier-opt %s -lispier-drop-async-tokens | FileCheck %s
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k() kernel { gpu.return }
}

// Ops with groups of operands, and ops without. A wait of the host stays, one of the queue goes.
// CHECK-LABEL: func.func @ops
// CHECK-NOT: async
// CHECK: %[[M:.*]] = gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK-NEXT: gpu.memset %[[M]], %{{.*}} : memref<?xf32>, f32
// CHECK-NEXT: gpu.launch_func @kernels::@k blocks in
// CHECK-NEXT: gpu.launch blocks(
// CHECK: gpu.dealloc %[[M]]
// CHECK-NEXT: gpu.wait
// CHECK-NEXT: return
func.func @ops(%n: index, %v: f32) {
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
  %t2 = gpu.memset async [%t0, %t1] %m, %v : memref<?xf32>, f32
  %t3 = gpu.launch_func async [%t2] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  %t4 = gpu.launch async [%t2, %t3] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
                                    threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  }
  %t5 = gpu.dealloc async [%t4] %m : memref<?xf32>
  gpu.wait [%t5]
  return
}

// Branches and loops carry an unused i1 in place of a token.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%{{.*}}: memref<?xf32>, %[[AFTER:.*]]: i1, %{{.*}}: index) -> i1
// CHECK: %[[FALSE:.*]] = arith.constant false
// CHECK: gpu.memcpy
// CHECK: scf.yield %[[FALSE]] : i1
// CHECK: call @carried({{.*}}) : (memref<?xf32>, i1, index) -> i1
func.func @carried(%m: memref<?xf32>, %after: !gpu.async.token, %n: index) -> !gpu.async.token {
  %last = scf.for %i = %n to %n step %n iter_args(%t = %after) -> !gpu.async.token {
    %next = gpu.memcpy async [%t] %m, %m : memref<?xf32>, memref<?xf32>
    scf.yield %next : !gpu.async.token
  }
  gpu.wait [%last]
  %again = call @carried(%m, %last, %n) : (memref<?xf32>, !gpu.async.token, index) -> !gpu.async.token
  return %again : !gpu.async.token
}
}

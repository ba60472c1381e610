// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-read-launch-sizes))' | FileCheck %s

gpu.module @kernels {
  // Any block: 16 bits at offset 12 + 2 axis; blocks of the grid: 32 bits at 4 axis.
  // CHECK-LABEL: gpu.func @any_block
  // CHECK-SAME: rocdl.flat_work_group_size = "1,1024"
  // CHECK: %[[ARGUMENTS:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[ARGUMENTS]][14]
  // CHECK: llvm.load %[[PLACE]] invariant {alignment = 2 : i64} : !llvm.ptr<4> -> i16
  // CHECK: llvm.getelementptr %{{.*}}[8]
  // CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
  gpu.func @any_block(%a: memref<2xindex>) kernel {
    %i = gpu.thread_id x
    %n = gpu.block_dim y
    %g = gpu.grid_dim z
    %s = arith.addi %n, %g : index
    memref.store %s, %a[%i] : memref<2xindex>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @known_block
  // CHECK-NOT: flat_work_group_size
  // CHECK: arith.constant 8 : index
  // CHECK-NOT: implicitarg
  gpu.func @known_block(%a: memref<2xindex>) kernel attributes {known_block_size = array<i32: 64, 8, 1>} {
    %i = gpu.thread_id x
    %n = gpu.block_dim y
    memref.store %n, %a[%i] : memref<2xindex>
    gpu.return
  }
}

// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-shuffle-up-by-index))' | FileCheck %s
// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx942 output=%t.942' -o /dev/null
// RUN: llvm-objdump -d %t.942 | FileCheck %s --check-prefix=CODE
// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx1100 output=%t.1100' -o /dev/null
// RUN: llvm-objdump -d %t.1100 | FileCheck %s --check-prefix=CODE

// No lane is below lane 0, and one without a lane below keeps what it has: a comparison as unsigned numbers, not of a
// negative lane with the width.
// CHECK-LABEL: gpu.func @up
// CHECK: %[[BY:.*]] = arith.constant 3 : i32
// CHECK: %[[ID:.*]] = gpu.lane_id
// CHECK: %[[LANE:.*]] = arith.index_cast %[[ID]]
// CHECK: %[[VALID:.*]] = arith.cmpi uge, %[[LANE]], %[[BY]]
// CHECK: %[[BELOW:.*]] = arith.subi %[[LANE]], %[[BY]]
// CHECK: %[[FROM:.*]] = arith.select %[[VALID]], %[[BELOW]], %[[LANE]]
// CHECK: %[[RESULT:.*]], %{{.*}} = gpu.shuffle idx %{{.*}}, %[[FROM]]
// CHECK: arith.select %[[VALID]], %[[RESULT]]
// CODE-LABEL: <up>:
// CODE: v_cmp_{{lt|gt}}_u32
// CODE: ds_bpermute_b32
gpu.module @kernels {
  gpu.func @up(%a: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %by = arith.constant 3 : i32
    %width = gpu.subgroup_size : index
    %lanes = arith.index_cast %width : index to i32
    %zero = arith.constant 0 : i32
    %v = memref.load %a[%i] : memref<64xi32>
    %below, %valid = gpu.shuffle up %v, %by, %lanes : i32
    %s = arith.select %valid, %below, %zero : i32
    memref.store %s, %a[%i] : memref<64xi32>
    gpu.return
  }
}

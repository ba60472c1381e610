// An op that may fail gets another operand where the tile's element would not be stored, and only there.
// RUN: lispier-opt --pass-pipeline="builtin.module(gpu.module(lispier-guard-lanes))" --split-input-file %s | FileCheck %s

// The memory of the result may end before the tile.
// CHECK-LABEL: gpu.func @quotients
// CHECK: %[[END:.*]] = memref.dim %arg2
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK: %[[SAFE:.*]] = arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: arith.divsi %{{.*}}, %[[SAFE]]
gpu.module @kernels {
  gpu.func @quotients(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>) kernel
      attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %x = vector.transfer_read %a[%c0], %zero : memref<?xi32>, vector<8xi32>
    %y = vector.transfer_read %b[%c0], %zero : memref<?xi32>, vector<8xi32>
    %q = arith.divsi %x, %y : vector<8xi32>
    vector.transfer_write %q, %c[%c0] : vector<8xi32>, memref<?xi32>
    gpu.return
  }
}

// -----

// A tile that is wholly inside needs nothing, nor does a divisor that is known.
// CHECK-LABEL: gpu.func @inside
// CHECK-NOT: arith.select
gpu.module @kernels {
  gpu.func @inside(%a: memref<8xi32>, %b: memref<8xi32>, %c: memref<8xi32>, %d: memref<?xi32>) kernel
      attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %three = arith.constant dense<3> : vector<8xi32>
    %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<8xi32>, vector<8xi32>
    %y = vector.transfer_read %b[%c0], %zero {in_bounds = [true]} : memref<8xi32>, vector<8xi32>
    %q = arith.divsi %x, %y : vector<8xi32>
    vector.transfer_write %q, %c[%c0] {in_bounds = [true]} : vector<8xi32>, memref<8xi32>
    %r = arith.remsi %x, %three : vector<8xi32>
    vector.transfer_write %r, %d[%c0] : vector<8xi32>, memref<?xi32>
    gpu.return
  }
}

// -----

// Through a transposition, a loop that adds up, and a mask: shifts of the same elements.
// CHECK-LABEL: gpu.func @through
// CHECK: scf.for
// CHECK: vector.transpose %{{.*}} : vector<8x4xi1> to vector<4x8xi1>
// CHECK: arith.select %{{.*}}, %{{.*}} : vector<4x8xi1>, vector<4x8xi32>
// CHECK: arith.shli
gpu.module @kernels {
  gpu.func @through(%a: memref<?x?xi32>, %c: memref<?x?xi32>, %mask: vector<8x4xi1>, %n: index) kernel
      attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<4x8xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zeros) -> vector<4x8xi32> {
      %x = vector.transfer_read %a[%c0, %c0], %zero : memref<?x?xi32>, vector<4x8xi32>
      %y = arith.shli %x, %x : vector<4x8xi32>
      %new = arith.addi %old, %y : vector<4x8xi32>
      scf.yield %new : vector<4x8xi32>
    }
    %t = vector.transpose %sum, [1, 0] : vector<4x8xi32> to vector<8x4xi32>
    vector.transfer_write %t, %c[%c0, %c0], %mask {in_bounds = [true, true]} : vector<8x4xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// An element that is summed is used, but for those that a choice by places leaves out.
// CHECK-LABEL: gpu.func @sums
// CHECK-NOT: arith.select
// CHECK: arith.divsi
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: arith.remsi
gpu.module @kernels {
  gpu.func @sums(%a: memref<?xi32>, %c: memref<?xi32>, %n: index) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<8xi32>
    %x = vector.transfer_read %a[%c0], %zero : memref<?xi32>, vector<8xi32>
    %q = arith.divsi %x, %x : vector<8xi32>
    %s = vector.multi_reduction <add>, %q, %zero [0] : vector<8xi32> to i32
    memref.store %s, %c[%c0] : memref<?xi32>
    %inside = vector.create_mask %n : vector<8xi1>
    %r = arith.remsi %x, %x : vector<8xi32>
    %chosen = arith.select %inside, %r, %zeros : vector<8xi1>, vector<8xi32>
    %t = vector.multi_reduction <add>, %chosen, %zero [0] : vector<8xi32> to i32
    memref.store %t, %c[%c0] : memref<?xi32>
    gpu.return
  }
}

// -----

// What the next iteration stores is used where that one's memory is, which this iteration does not know.
// CHECK-LABEL: gpu.func @carried
// CHECK-NOT: arith.select
gpu.module @kernels {
  gpu.func @carried(%a: memref<?xi32>, %c: memref<?xi32>, %n: index) kernel
      attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<8xi32>
    %last = scf.for %i = %c0 to %n step %c8 iter_args(%old = %zeros) -> vector<8xi32> {
      vector.transfer_write %old, %c[%i] : vector<8xi32>, memref<?xi32>
      %x = vector.transfer_read %a[%i], %zero : memref<?xi32>, vector<8xi32>
      %q = arith.divsi %x, %x : vector<8xi32>
      scf.yield %q : vector<8xi32>
    }
    gpu.return
  }
}
